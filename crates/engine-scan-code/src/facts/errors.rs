//! Error handling of model calls.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use engine_model::{ErrorHandling, Language};
use engine_syntax::ir::{Expr, ExprId, FunctionId, Handler, Pattern, Stmt, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::handlers::Handled;
use crate::calls::Found;
use crate::index::{NONE, Role};
use crate::memo::Memo;
use crate::values::{ExprRef, FunctionRef, Root, Seg, Value};
use crate::world::World;

/// Streams whose failure is kept as another stream.
const STREAMS_MAX: u32 = 4;

/// Methods of a promise, future or result that deal with a failure.
const HANDLING: [&str; 30] = [
    "catch",
    "catchError",
    "onErrorResume",
    "onErrorReturn",
    "onErrorReturnItem",
    "exceptionally",
    "handle",
    "recover",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "or_else",
    "getOrElse",
    "getOrNull",
    "getOrDefault",
    "onFailure",
    "recoverCatching",
    "fold",
    "Catch",
    "ContinueWith",
    "with_fallbacks",
    "withFallbacks",
    "map_or",
    "map_or_else",
    "doOnError",
    "onErrorMap",
    "handleErrorWith",
    "onStatus",
    "ok",
    "is_ok",
];

/// Functions on the ways from callers to a call that are asked what they do about its failure.
const FUNCTIONS_MAX: usize = 24;

/// Callers of one function that are asked; what more call is a tool of the whole project.
const CALLERS_MAX: usize = 16;

/// Parts of one chain that are looked at.
const CHAIN_MAX: usize = 32;

/// Calls that run what was handed to a graph, a chain or a runner before.
const RUNNERS: [&str; 17] = [
    "invoke",
    "ainvoke",
    "run",
    "arun",
    "stream",
    "astream",
    "execute",
    "kickoff",
    "start",
    "compute",
    "start_consuming",
    "consume",
    "run_forever",
    "serve_forever",
    "run_polling",
    "start_polling",
    "infinity_polling",
];

/// Names in conditions with the function around each.
type Asked<'m> = Rc<FxHashSet<(Option<FunctionId>, &'m str)>>;

/// Looks for what is done about failures; what a file says of all its calls is worked out once.
pub(super) struct Failures<'w, 'm> {
    world: &'w World<'m>,
    /// The failures for which the product has a place of its own, asked for where one is raised again.
    taken: &'w dyn Fn() -> Handled,
    known_taken: OnceCell<Handled>,
    /// What is done about a failure at a place.
    places: Memo<ExprRef, ErrorHandling>,
    /// Whether failures that leave a function end where it is called.
    ends: Memo<FunctionRef, bool>,
    /// Who calls a function.
    callers: Memo<FunctionRef, Option<Rc<[ExprRef]>>>,
    /// Names that calls are handed, and whether what is run deals with a failure, by unit.
    given: Memo<u32, Rc<FxHashSet<&'m str>>>,
    runs: Memo<u32, bool>,
    /// Whether a function of the project retries what it decorates.
    retries: Memo<FunctionRef, bool>,
    /// Names whose failure is listened to, by unit.
    heard: Memo<u32, Rc<FxHashSet<&'m str>>>,
    /// Names in conditions with the function around each, by unit.
    asked: Memo<u32, Asked<'m>>,
    /// Calls that ask a stream of Go for its failure, by its name, by unit.
    streams: Memo<u32, Rc<FxHashMap<&'m str, Vec<ExprId>>>>,
    /// Conditions by unit.
    conditions: Memo<u32, Rc<FxHashSet<ExprId>>>,
}

impl<'w, 'm> Failures<'w, 'm> {
    pub(super) fn new(world: &'w World<'m>, taken: &'w dyn Fn() -> Handled) -> Self {
        Self {
            world,
            taken,
            known_taken: OnceCell::new(),
            places: Memo::default(),
            ends: Memo::default(),
            callers: Memo::default(),
            given: Memo::default(),
            runs: Memo::default(),
            retries: Memo::default(),
            heard: Memo::default(),
            asked: Memo::default(),
            streams: Memo::default(),
            conditions: Memo::default(),
        }
    }

    pub(super) fn of(&self, found: &Found) -> ErrorHandling {
        if found.path.has_name("with_fallbacks") || found.path.has_name("withFallbacks") {
            return ErrorHandling::Yes;
        }
        let here = self.place(found.at);
        if here != ErrorHandling::No {
            return here;
        }
        if found.path.calls().any(|made| self.runs_guarded(made)) {
            return ErrorHandling::Yes;
        }
        // A wrapper without handling of its own is handled if all who call it do so, or hand it on to such callers.
        if self.ends_at_callers(found.at) {
            ErrorHandling::Yes
        } else {
            ErrorHandling::No
        }
    }

    /// Whether one part of a chain is an object of the project that deals with a failure where it asks: `prompt | self.guarded | parser`.
    fn runs_guarded(&self, chain: ExprRef) -> bool {
        // `a | b | c` is `(a | b) | c`.
        let mut parts = vec![chain.1];
        let mut made = Vec::new();
        for _ in 0..CHAIN_MAX {
            let Some(part) = parts.pop() else { break };
            if let Expr::Other(inner) = self.world.module(chain.0).expr(part) {
                parts.extend(inner);
            } else if part != chain.1 {
                made.extend(
                    self.world
                        .eval(ExprRef(chain.0, part))
                        .iter()
                        .filter_map(|value| match value {
                            Value::Instance(class, _) => Some(*class),
                            _ => None,
                        }),
                );
            }
        }
        made.into_iter().any(|class| {
            let mut asked = self.world.method(class, "__call__").into_iter();
            asked.any(|method| {
                let index = self.world.index(method.0);
                index.stmts_of(method.1).iter().any(|info| {
                    matches!(&info.stmt.kind, StmtKind::Try { handlers, .. }
                        if handlers.iter().any(|handler| does_something(self.world, method.0, handler)))
                })
            })
        })
    }

    /// Whether a failure that leaves the function around a place ends at all who call it.
    pub(super) fn ends_at_callers(&self, at: ExprRef) -> bool {
        self.world.home_of(at).is_some_and(|function| {
            self.ends
                .get_or(function, || self.by_callers(function, &mut BTreeMap::new()))
        })
    }

    /// The places of the product that call a function, itself left out; nothing where they are too many to be asked.
    fn callers(&self, function: FunctionRef) -> Option<Rc<[ExprRef]>> {
        self.callers.get_or(function, || {
            let world = self.world;
            let zone = world.unit(function.0).zone;
            // What a test does about it says nothing of the product, and one that calls itself is called by somebody else first.
            let own: Vec<ExprRef> = world
                .callers_of(function)
                .iter()
                .copied()
                .filter(|caller| world.unit(caller.0).zone == zone && world.function_of(*caller) != Some(function))
                .collect();
            // Neither does a script that somebody runs by hand and watches, where the product calls it as well.
            let by_hand = |caller: &ExprRef| crate::checks::is_by_hand(world.unit(caller.0).path);
            let only_by_hand = own.iter().all(by_hand);
            let callers: Rc<[ExprRef]> = own
                .into_iter()
                .filter(|caller| only_by_hand || !by_hand(caller))
                .take(CALLERS_MAX + 1)
                .collect();
            (callers.len() <= CALLERS_MAX).then_some(callers)
        })
    }

    /// Whether a failure that leaves a function ends at each place of the product that calls it, however many functions lie
    /// between. `known` holds what is known of a function; while one is looked at, nothing is.
    fn by_callers(&self, function: FunctionRef, known: &mut BTreeMap<FunctionRef, bool>) -> bool {
        if let Some(ends) = known.get(&function) {
            return *ends;
        }
        if known.len() >= FUNCTIONS_MAX {
            return false;
        }
        known.insert(function, false);
        let ends = match self.callers(function).as_deref() {
            None => false,
            Some([]) => self.handed(function),
            Some(callers) => callers.iter().all(|caller| {
                let later = self.taken_later(*caller);
                let handled = |place: ExprRef| self.place(place) == ErrorHandling::Yes;
                (if later.is_empty() {
                    handled(*caller)
                } else {
                    later.into_iter().all(handled)
                }) || self
                    .world
                    .home_of(*caller)
                    .is_some_and(|outer| self.by_callers(outer, known))
            }),
        };
        known.insert(function, ends);
        ends
    }

    /// Whether a function that nobody calls is handed to something in its file which is run where failures end:
    /// `graph.add_node("ask", ask)` and `graph.invoke(state)` in a `try`.
    fn handed(&self, function: FunctionRef) -> bool {
        self.world.function(function).name.as_deref().is_some_and(|name| {
            self.given(function.0).contains(name) && self.runs.get_or(function.0, || self.run(function.0))
        })
    }

    /// The places where the result of what another thread was handed is taken: `future.result()` for `executor.submit(ask)`. A
    /// failure comes out there.
    fn taken_later(&self, submitted: ExprRef) -> Vec<ExprRef> {
        let world = self.world;
        if super::callee_name(world, submitted) != "submit" {
            return self.awaited_later(submitted);
        }
        let around = world.named_function_of(submitted).map(|around| around.1);
        let calls = world.index(submitted.0).calls_of(around).into_iter();
        calls
            .map(|call| ExprRef(submitted.0, call))
            .filter(|call| super::callee_name(world, *call) == "result")
            .collect()
    }

    /// Python: the places where a coroutine is waited for that was only kept under a name or in a list before:
    /// `tasks.append(ask(text))`, and then `await asyncio.gather(*tasks)`. A failure comes out there, unless it is asked for as a result.
    fn awaited_later(&self, started: ExprRef) -> Vec<ExprRef> {
        let world = self.world;
        if !crate::project::is_python(world.unit(started.0).language) {
            return Vec::new();
        }
        let index = world.index(started.0);
        let module = index.module;
        let mut above = index.ancestors(started.1);
        if above.any(|above| matches!(module.expr(above), Expr::Await(_))) {
            return Vec::new();
        }
        let Some(info) = index.stmts.get(index.expr_stmt[started.1.0 as usize] as usize) else {
            return Vec::new();
        };
        let name = match &info.stmt.kind {
            StmtKind::Assign {
                target: Pattern::Name(name),
                ..
            } => &**name,
            StmtKind::Expr(value) => match module.expr(*value) {
                Expr::Call { callee, .. } => match module.expr(*callee) {
                    Expr::Member { object, name } if matches!(&**name, "append" | "add") => {
                        match module.expr(*object) {
                            Expr::Name(list) => &**list,
                            _ => return Vec::new(),
                        }
                    }
                    _ => return Vec::new(),
                },
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let is_it = |value: ExprId| matches!(module.expr(value), Expr::Name(known) if &**known == name);
        let around = world.named_function_of(started).map(|around| around.1);
        let calls = index.calls_of(around).into_iter();
        calls
            .filter(|call| {
                let Expr::Call { args, .. } = module.expr(*call) else {
                    return false;
                };
                matches!(
                    super::callee_name(world, ExprRef(started.0, *call)),
                    "gather" | "wait_for"
                ) && args.iter().any(|arg| is_it(arg.value))
                    && !args.iter().any(|arg| arg.name.as_deref() == Some("return_exceptions"))
            })
            .map(|call| ExprRef(started.0, call))
            .collect()
    }

    /// Names that calls of a file are handed.
    fn given(&self, unit: u32) -> Rc<FxHashSet<&'m str>> {
        self.given.get_or(unit, || {
            let index = self.world.index(unit);
            let mut given = FxHashSet::default();
            for call in &index.calls {
                if let Expr::Call { args, .. } = index.module.expr(*call) {
                    given.extend(args.iter().filter_map(|arg| match index.module.expr(arg.value) {
                        Expr::Name(known) | Expr::Member { name: known, .. } => Some(&**known),
                        _ => None,
                    }));
                }
            }
            Rc::new(given)
        })
    }

    /// Whether a file runs something that it was handed, and each such place deals with a failure.
    fn run(&self, unit: u32) -> bool {
        let world = self.world;
        let given = self.given(unit);
        // What a step of the graph runs by itself is not what runs the graph.
        let steps = |call: ExprRef| {
            world
                .named_function_of(call)
                .and_then(|around| world.function(around).name.as_deref())
                .is_some_and(|around| given.contains(around))
        };
        let mut runs = world
            .index(unit)
            .calls
            .iter()
            .map(|call| ExprRef(unit, *call))
            .filter(|call| {
                RUNNERS.contains(&super::callee_name(world, *call)) && !steps(*call) && world.callees(*call).is_empty()
            })
            .peekable();
        runs.peek().is_some() && runs.all(|call| self.place(call) == ErrorHandling::Yes)
    }

    fn place(&self, at: ExprRef) -> ErrorHandling {
        self.places.get_or(at, || place(self, at))
    }

    /// Whether a decorator was made by a library for retries, or is a function of the project that calls what it decorates
    /// and deals with a failure.
    fn retries(&self, decorator: ExprRef) -> bool {
        self.world.eval(decorator).iter().any(|value| match value {
            Value::Path(path) => {
                path.root == Root::Import
                    && matches!(
                        path.segs.first(),
                        Some(Seg::Name(root)) if ["tenacity", "backoff", "retrying", "stamina", "retry"].iter().any(|of| **of == **root || root.starts_with(&format!("{of}.")))
                    )
            }
            Value::Function(function) => self.retries.get_or(*function, || retries_itself(self.world, *function)),
            _ => false,
        })
    }

    /// `socket.on("error", …)`, `stream.onerror = …` on what a call was bound to.
    fn heard(&self, unit: u32) -> Rc<FxHashSet<&'m str>> {
        self.heard.get_or(unit, || {
            let module = self.world.module(unit);
            let name_of = |object: ExprId| match module.expr(object) {
                Expr::Name(name) => Some(&**name),
                _ => None,
            };
            let names = module.exprs.iter().filter_map(|expr| match &expr.kind {
                Expr::Call { callee, args, .. } => {
                    let Expr::Member { object, name } = module.expr(*callee) else {
                        return None;
                    };
                    let listens = matches!(&**name, "on" | "once" | "addEventListener")
                        && args
                            .first()
                            .is_some_and(|arg| matches!(module.expr(arg.value), Expr::Str(text) if &**text == "error"));
                    name_of(*object).filter(|_| listens)
                }
                Expr::Member { object, name } if &**name == "onerror" => name_of(*object),
                _ => None,
            });
            Rc::new(names.collect())
        })
    }

    /// Whether the product has a place that takes every failure which leaves a handler of requests.
    pub(super) fn takes_all(&self, language: Language) -> bool {
        self.known_taken.get_or_init(self.taken).takes(language, &[])
    }

    /// Whether all that a handler does is to raise a failure for which the product has a place of its own.
    pub(super) fn is_taken(&self, unit: u32, body: &[Stmt]) -> bool {
        let [only] = body else {
            return false;
        };
        let StmtKind::Raise(Some(raised)) = only.kind else {
            return false;
        };
        let at = ExprRef(unit, raised);
        let Expr::Call { .. } = self.world.expr(at) else {
            return false;
        };
        let name = super::callee_name(self.world, at);
        let mut names = vec![name];
        if let Some(class) = self.world.class_near(unit, name) {
            let bases = &self.world.module(class.0).class(class.1).bases;
            names.extend(
                bases
                    .iter()
                    .map(|base| base.name.rsplit(['.', ':']).next().unwrap_or("")),
            );
        }
        let taken = self.known_taken.get_or_init(self.taken);
        taken.takes(self.world.unit(unit).language, &names)
    }

    /// Names that stand in conditions, with the function around each.
    fn asked(&self, unit: u32) -> Asked<'m> {
        self.asked.get_or(unit, || {
            let index = self.world.index(unit);
            let mut out = FxHashSet::default();
            for (condition, _) in &index.conditions {
                let function = index.function_of(*condition);
                out.extend(
                    names_in(self.world, unit, *condition)
                        .into_iter()
                        .map(|name| (function, name)),
                );
            }
            Rc::new(out)
        })
    }

    /// Calls that ask a stream for its failure: `stream.Err()`.
    fn streams(&self, unit: u32) -> Rc<FxHashMap<&'m str, Vec<ExprId>>> {
        self.streams.get_or(unit, || {
            let index = self.world.index(unit);
            let mut out: FxHashMap<&'m str, Vec<ExprId>> = FxHashMap::default();
            for call in &index.calls {
                if let Expr::Call { callee, .. } = index.module.expr(*call)
                    && let Expr::Member { object, name } = index.module.expr(*callee)
                    && matches!(&**name, "Err" | "Error")
                    && let Expr::Name(of) = index.module.expr(*object)
                {
                    out.entry(of).or_default().push(*call);
                }
            }
            Rc::new(out)
        })
    }

    fn is_condition(&self, unit: u32, id: ExprId) -> bool {
        let known = self.conditions.get_or(unit, || {
            let conditions = self.world.index(unit).conditions.iter();
            Rc::new(conditions.map(|(condition, _)| *condition).collect())
        });
        known.contains(&id)
    }
}

/// What is done about a failure of one expression, in its own function.
fn place(failures: &Failures<'_, '_>, at: ExprRef) -> ErrorHandling {
    let world = failures.world;
    let unit = at.0;
    let index = world.index(unit);
    let module = world.module(unit);
    let language = world.unit(unit).language;
    let mut propagated = false;
    let mut inner = at.1;
    for parent in index.ancestors(at.1) {
        match module.expr(parent) {
            Expr::Propagate(_) => propagated = true,
            Expr::Call { callee, args, .. } => {
                if let Expr::Member { object, name } = module.expr(*callee)
                    && contains(world, unit, *object, at.1)
                {
                    if HANDLING.contains(&&**name) && !propagated {
                        return ErrorHandling::Yes;
                    }
                    if &**name == "then" && args.len() > 1 {
                        return ErrorHandling::Yes;
                    }
                }
            }
            // `curl … || fail`: what stands behind the bar runs on failure.
            Expr::Choice { .. } | Expr::Test(_) if language == Language::Shell => {
                let children = module.children(parent);
                if children
                    .first()
                    .is_some_and(|first| contains(world, unit, *first, at.1))
                    && children.len() > 1
                {
                    return ErrorHandling::Yes;
                }
            }
            _ => {}
        }
        inner = parent;
    }
    let _ = inner;
    if propagated {
        return ErrorHandling::Propagate;
    }
    if let Some(result) = go_error(failures, at, 0) {
        return result;
    }
    if callback(world, at) || listens_for_failure(failures, at) {
        return ErrorHandling::Yes;
    }
    if super::php::looks_how_it_went(world, at) || super::ruby::is_handled_by_class(world, at) {
        return ErrorHandling::Yes;
    }
    // Outwards over statements; lambdas lead on to the place where they stand.
    let mut expr = at.1;
    for _ in 0..24 {
        let mut stmt = index.expr_stmt[expr.0 as usize];
        let mut steps = 0;
        while stmt != NONE && steps < 300 {
            steps += 1;
            let info = &index.stmts[stmt as usize];
            if let Role::BlockExpr(block) = info.role
                && language == Language::Shell
                && info.parent != NONE
                && let StmtKind::If { condition, .. } = &index.stmts[info.parent as usize].stmt.kind
                && contains(world, unit, *condition, block)
            {
                return ErrorHandling::Yes;
            }
            if let StmtKind::If { condition, .. } = &info.stmt.kind
                && language == Language::Shell
                && contains(world, unit, *condition, expr)
            {
                return ErrorHandling::Yes;
            }
            if matches!(language, Language::Rust)
                && let StmtKind::Match {
                    subject: Some(subject), ..
                }
                | StmtKind::If { condition: subject, .. } = &info.stmt.kind
                && contains(world, unit, *subject, expr)
            {
                return ErrorHandling::Yes;
            }
            if let StmtKind::With { items, .. } = &info.stmt.kind
                && items.iter().any(|(item, _)| suppresses(world, ExprRef(unit, *item)))
            {
                return ErrorHandling::Yes;
            }
            if info.role == Role::TryBody
                && info.parent != NONE
                && let StmtKind::Try { handlers, .. } = &index.stmts[info.parent as usize].stmt.kind
                && !is_let_go(world, ExprRef(unit, expr))
                && handlers
                    .iter()
                    .any(|handler| does_something(world, unit, handler) || failures.is_taken(unit, &handler.body))
            {
                return ErrorHandling::Yes;
            }
            if let Role::FunctionBody(function) = info.role {
                let node = module.function(function);
                let retried = node.decorators.iter().any(|decorator| {
                    let id = match module.expr(*decorator) {
                        Expr::Call { callee, .. } => *callee,
                        _ => *decorator,
                    };
                    matches!(module.expr(id), Expr::Name(name) | Expr::Member { name, .. }
                        if matches!(&**name, "retry" | "on_exception" | "Retryable" | "CircuitBreaker" | "Retry" | "on_predicate" | "Recover"))
                        || failures.retries(ExprRef(unit, id))
                });
                if retried {
                    return ErrorHandling::Yes;
                }
                break;
            }
            stmt = info.parent;
        }
        // A result that is the value of the function is handed on.
        if language == Language::Rust && handed_on(world, ExprRef(unit, expr)) {
            return ErrorHandling::Propagate;
        }
        if matches!(language, Language::Rust | Language::Go) && matched_later(failures, ExprRef(unit, expr)) {
            return ErrorHandling::Yes;
        }
        let Some(function) = index.function_of(expr) else { break };
        let Some(outer) = index.function_expr[function.0 as usize] else {
            break;
        };
        // `runCatching { … }` and the like take the failing code as a lambda.
        if let Some(call) = world.parent(ExprRef(unit, outer))
            && let Expr::Call { callee, .. } = world.expr(call)
            && let Expr::Name(name) | Expr::Member { name, .. } = module.expr(*callee)
            && matches!(
                &**name,
                "runCatching"
                    | "tryCatch"
                    | "Try"
                    | "attempt"
                    | "retry"
                    | "pRetry"
                    | "withRetry"
                    | "executeWithRetry"
                    | "backOff"
                    | "ExecuteAsync"
            )
        {
            return ErrorHandling::Yes;
        }
        // `.then(() => call()).catch(…)`
        for parent in index.ancestors(outer) {
            if let Expr::Call { callee, .. } = module.expr(parent)
                && let Expr::Member { object, name } = module.expr(*callee)
                && HANDLING[..13].contains(&&**name)
                && contains(world, unit, *object, outer)
            {
                return ErrorHandling::Yes;
            }
        }
        expr = outer;
    }
    ErrorHandling::No
}

/// Whether a function of the project calls what it decorates and deals with a failure.
fn retries_itself(world: &World<'_>, function: FunctionRef) -> bool {
    let index = world.index(function.0);
    index.calls_of(Some(function.1)).into_iter().any(|call| {
        let holder = index.expr_stmt[call.0 as usize];
        let Some(info) = index.stmts.get(holder as usize) else {
            return false;
        };
        info.role == Role::TryBody
            && info.parent != NONE
            && matches!(&index.stmts[info.parent as usize].stmt.kind, StmtKind::Try { handlers, .. } if handlers.iter().any(|handler| does_something(world, function.0, handler)))
            && calls_a_parameter(world, function.0, call)
    })
}

/// Whether a call is of something that a function around it was given.
fn calls_a_parameter(world: &World<'_>, unit: u32, call: ExprId) -> bool {
    let index = world.index(unit);
    let Expr::Call { callee, .. } = index.module.expr(call) else {
        return false;
    };
    matches!(index.module.expr(*callee), Expr::Name(name) if index.functions_around(call).iter().any(|around| {
        index.module.function(*around).params.iter().any(|param| matches!(&param.pattern, Pattern::Name(own) if own == name))
    }))
}

/// Whether an expression stands inside another one.
fn contains(world: &World<'_>, unit: u32, outer: ExprId, inner: ExprId) -> bool {
    outer == inner || world.index(unit).ancestors(inner).any(|above| above == outer)
}

/// Whether nobody waits for what a call of an asynchronous function of the project gives: its failure comes when the block around it is left.
fn is_let_go(world: &World<'_>, at: ExprRef) -> bool {
    if !crate::project::is_script(world.unit(at.0).language) {
        return false;
    }
    let callees = world.callees(at);
    if callees.is_empty() || !callees.iter().all(|callee| world.function(*callee).is_async) {
        return false;
    }
    let index = world.index(at.0);
    let stmt = index.expr_stmt[at.1.0 as usize];
    stmt != NONE && matches!(&index.stmts[stmt as usize].stmt.kind, StmtKind::Expr(value) if *value == at.1)
}

fn suppresses(world: &World<'_>, at: ExprRef) -> bool {
    let name = super::callee_name(world, at);
    matches!(name, "suppress" | "catch_errors")
}

/// A handler that only raises again handles nothing; one that turns the failure into the reply of a request does.
fn does_something(world: &World<'_>, unit: u32, handler: &Handler) -> bool {
    if let Some(Stmt {
        kind: StmtKind::Raise(Some(raised)),
        ..
    }) = handler.body.last()
        && raises_a_reply(world, unit, *raised)
    {
        return false;
    }
    let [only] = handler.body.as_slice() else {
        return true;
    };
    match &only.kind {
        StmtKind::Raise(Some(raised)) => replies(world, unit, *raised),
        StmtKind::Raise(None) => false,
        _ => true,
    }
}

/// Python: whether what is raised is a reply and no exception, which is a failure of its own: `raise Response({…}, status=400)`.
fn raises_a_reply(world: &World<'_>, unit: u32, raised: ExprId) -> bool {
    let at = ExprRef(unit, raised);
    let name = super::callee_name(world, at);
    crate::project::is_python(world.unit(unit).language)
        && matches!(
            name,
            "Response"
                | "JsonResponse"
                | "JSONResponse"
                | "HttpResponse"
                | "PlainTextResponse"
                | "HTMLResponse"
                | "jsonify"
                | "make_response"
        )
        && world.class_near(unit, name).is_none()
}

/// Whether what is raised is made to be the reply of a request: `HTTPException(502, …)`, `new ServiceUnavailableException(…)`.
pub(super) fn replies(world: &World<'_>, unit: u32, raised: ExprId) -> bool {
    let at = ExprRef(unit, raised);
    let name = super::callee_name(world, at);
    let answers = name.contains("HTTP")
        || name.contains("Http")
        || matches!(
            name,
            "ResponseStatusException"
                | "ServiceUnavailableException"
                | "BadGatewayException"
                | "InternalServerErrorException"
                | "GatewayTimeoutException"
                | "TRPCError"
                | "GraphQLError"
                | "APIException"
                | "ServiceUnavailable"
                | "WebApplicationException"
        );
    answers && matches!(world.expr(at), Expr::Call { .. })
}

/// Go: what the branch on the error of a call does.
fn go_error(failures: &Failures<'_, '_>, at: ExprRef, depth: u32) -> Option<ErrorHandling> {
    let world = failures.world;
    let index = world.index(at.0);
    if world.unit(at.0).language != Language::Go {
        return None;
    }
    let id = index.expr_stmt[at.1.0 as usize];
    if id == NONE {
        return None;
    }
    let info = &index.stmts[id as usize];
    match &info.stmt.kind {
        StmtKind::Assign { target, .. } => {
            let names = crate::flow::pattern_names(target);
            let name = names.last()?;
            let is_error = name.to_ascii_lowercase().contains("err") || *name == "e";
            if !is_error {
                return Some(stream_error(failures, at, name, depth));
            }
            let mut next = info.next;
            for _ in 0..4 {
                if next == NONE {
                    break;
                }
                let after = &index.stmts[next as usize];
                if let StmtKind::If { condition, then, .. } = &after.stmt.kind
                    && names_in(world, at.0, *condition).contains(name)
                {
                    return Some(branch(world, at.0, then, name));
                }
                if let StmtKind::Return(Some(value)) = &after.stmt.kind
                    && names_in(world, at.0, *value).contains(name)
                {
                    return Some(ErrorHandling::Propagate);
                }
                next = after.next;
            }
            None
        }
        StmtKind::Return(_) => {
            let function = index.function_of(at.1)?;
            let returns = index.module.function(function).returns.as_ref()?;
            let gives_error = &*returns.name == "error" || returns.args.iter().any(|arg| &*arg.name == "error");
            gives_error.then_some(ErrorHandling::Propagate)
        }
        _ => None,
    }
}

/// Go: what is done about the failure of a stream, which tells it at its end: `if err := stream.Err(); err != nil`.
fn stream_error(failures: &Failures<'_, '_>, at: ExprRef, stream: &str, depth: u32) -> ErrorHandling {
    let index = failures.world.index(at.0);
    let function = index.function_of(at.1);
    let streams = failures.streams(at.0);
    let asked = streams
        .get(stream)
        .into_iter()
        .flatten()
        .find(|call| function.is_none_or(|function| index.within(**call, function)));
    let Some(asked) = asked else {
        return ErrorHandling::No;
    };
    // What is asked for may be kept under the name that it was asked by: `x := x.Err()`.
    if depth < STREAMS_MAX
        && let Some(found) = go_error(failures, ExprRef(at.0, *asked), depth + 1)
    {
        return found;
    }
    // `if stream.Err() != nil { … }`
    let inside = std::iter::once(*asked)
        .chain(index.ancestors(*asked))
        .any(|above| failures.is_condition(at.0, above));
    if inside { ErrorHandling::Yes } else { ErrorHandling::No }
}

fn branch(world: &World<'_>, unit: u32, then: &[Stmt], name: &str) -> ErrorHandling {
    let mut result = ErrorHandling::Yes;
    for stmt in then {
        match &stmt.kind {
            StmtKind::Return(Some(value)) => {
                let used = names_in(world, unit, *value);
                // `return c.JSON(500, …)` answers the request and hands nothing on.
                let replies = matches!(world.module(unit).expr(*value), Expr::Call { callee, .. }
                    if matches!(world.module(unit).expr(*callee), Expr::Member { name, .. }
                        if matches!(&**name, "JSON" | "String" | "HTML" | "Render" | "SendString" | "SendStatus" | "NoContent")));
                if used.contains(&name) && !replies {
                    result = ErrorHandling::Propagate;
                }
            }
            StmtKind::Raise(_) if then.len() == 1 => result = ErrorHandling::No,
            StmtKind::Expr(value) if then.len() == 1 => {
                if matches!(world.module(unit).expr(*value), Expr::Call { callee, .. }
                    if matches!(world.module(unit).expr(*callee), Expr::Name(name) if &**name == "panic"))
                {
                    result = ErrorHandling::No;
                }
            }
            _ => {}
        }
    }
    result
}

fn names_in<'w>(world: &World<'w>, unit: u32, at: ExprId) -> Vec<&'w str> {
    let mut out = Vec::new();
    let mut stack = vec![at];
    while let Some(id) = stack.pop() {
        if let Expr::Name(name) = world.module(unit).expr(id) {
            out.push(&**name);
        }
        if out.len() > 200 {
            break;
        }
        stack.extend(world.module(unit).children(id));
    }
    out
}

/// `client.ask(x, (error, answer) => { if (error) … })`
fn callback(world: &World<'_>, at: ExprRef) -> bool {
    world.lambdas_in_args(at).into_iter().any(|lambda| {
        let node = world.function(lambda);
        let Some(first) = node.params.first() else { return false };
        let Pattern::Name(name) = &first.pattern else {
            return false;
        };
        let error = matches!(&**name, "err" | "error" | "e");
        error
            && node.body.iter().any(|stmt| match &stmt.kind {
                StmtKind::If { condition, .. } => names_in(world, lambda.0, *condition).contains(&&**name),
                _ => false,
            })
    })
}

/// `socket.on("error", …)`, `stream.onerror = …` on what the call was bound to.
fn listens_for_failure(failures: &Failures<'_, '_>, at: ExprRef) -> bool {
    let world = failures.world;
    let index = world.index(at.0);
    if !crate::project::is_script(world.unit(at.0).language) {
        return false;
    }
    let id = index.expr_stmt[at.1.0 as usize];
    if id == NONE {
        return false;
    }
    let StmtKind::Assign { target, .. } = &index.stmts[id as usize].stmt.kind else {
        return false;
    };
    let heard = failures.heard(at.0);
    crate::flow::pattern_names(target)
        .iter()
        .any(|bound| heard.contains(bound))
}

/// Rust: the value of a function that gives a `Result` is the call itself.
fn handed_on(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let Some(function) = world.function_of(at) else {
        return false;
    };
    let result = world
        .function(function)
        .returns
        .as_ref()
        .is_some_and(|returns| returns.name.rsplit("::").next() == Some("Result"));
    result
        && index.returns[function.1.0 as usize].iter().any(|value| {
            let mut value = *value;
            while let Expr::Await(inner) = world.module(at.0).expr(value) {
                value = *inner;
            }
            value == at.1
        })
}

/// Rust: the result is bound to a name first and looked at afterwards.
fn matched_later(failures: &Failures<'_, '_>, at: ExprRef) -> bool {
    let world = failures.world;
    let index = world.index(at.0);
    let id = index.expr_stmt[at.1.0 as usize];
    if id == NONE || world.unit(at.0).language != Language::Rust {
        return false;
    }
    let StmtKind::Assign {
        target,
        value: Some(value),
        ..
    } = &index.stmts[id as usize].stmt.kind
    else {
        return false;
    };
    let mut bare = *value;
    while let Expr::Await(inner) = world.module(at.0).expr(bare) {
        bare = *inner;
    }
    if bare != at.1 {
        return false;
    }
    let function = index.function_of(at.1);
    let asked = failures.asked(at.0);
    crate::flow::pattern_names(target)
        .into_iter()
        .any(|name| asked.contains(&(function, name)))
}
