//! The index of one module: who contains whom, what each scope binds, what each function returns.

mod blocks;
mod indirect_writes;

use std::cell::OnceCell;

use engine_model::Language;
use engine_syntax::ir::{ClassId, Declares, Expr, ExprId, FunctionId, Module, Pattern, Stmt, StmtKind, TypeRef};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use thin_vec::ThinVec;

/// Marks the absence of a parent.
pub(crate) const NONE: u32 = u32::MAX;

/// Statements nest no deeper in code that people write; deeper ones are left out of the index.
const NESTING_MAX: u32 = 400;

/// Arguments of one chain of calls that puts them into one object.
const ARGS_MAX: usize = 200;

/// What a scope belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Module,
    Function(FunctionId),
    Class(ClassId),
    /// A block that declares a name which another block of its function declares as well.
    Block,
}

/// One scope with the names that it binds.
#[derive(Debug)]
pub(crate) struct Scope<'m> {
    pub(crate) parent: u32,
    pub(crate) kind: ScopeKind,
    pub(crate) names: HashMap<&'m str, Vec<Binding<'m>>>,
    /// The innermost function around it, itself included.
    function: Option<FunctionId>,
    /// The innermost function with a name.
    named: Option<FunctionId>,
    /// The outermost function.
    outermost: Option<FunctionId>,
    /// The class around it.
    class: Option<ClassId>,
}

/// One way in which a name gets its value.
#[derive(Clone, Debug)]
pub(crate) struct Binding<'m> {
    pub(crate) source: BindSource,
    /// How the name is reached inside the value: keys and positions of a destructuring pattern.
    pub(crate) steps: ThinVec<Step<'m>>,
    pub(crate) annotation: Option<&'m TypeRef>,
    /// The scope in which the assignment stands.
    pub(crate) scope: u32,
}

/// One step into a value that is taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'m> {
    Key(&'m str),
    Position(usize),
}

/// Where a bound value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindSource {
    Value(ExprId),
    /// An element of what is looped over.
    Each(ExprId),
    Param(FunctionId, u32),
    Function(FunctionId),
    Class(ClassId),
    /// Index of the import and of its binding.
    Import(u32, u32),
    /// A declaration without a value, or a failure inside a handler.
    Nothing,
}

/// The part that a statement plays in the statement around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Top,
    FunctionBody(FunctionId),
    Then,
    Otherwise,
    Arm,
    LoopBody,
    WithBody,
    TryBody,
    /// Body of the handler with this position.
    HandlerBody,
    Finally,
    Block,
    /// Inside a block expression.
    BlockExpr(ExprId),
}

/// A statement with its surroundings.
#[derive(Debug)]
pub(crate) struct StmtInfo<'m> {
    pub(crate) stmt: &'m Stmt,
    pub(crate) parent: u32,
    pub(crate) role: Role,
    /// The statement that follows in the same block.
    pub(crate) next: u32,
}

/// The index of a module.
#[derive(Debug)]
pub(crate) struct Index<'m> {
    pub(crate) module: &'m Module,
    pub(crate) scopes: Vec<Scope<'m>>,
    pub(crate) expr_scope: Vec<u32>,
    pub(crate) expr_parent: Vec<u32>,
    pub(crate) expr_stmt: Vec<u32>,
    pub(crate) stmts: Vec<StmtInfo<'m>>,
    /// Scope of the body of each class.
    pub(crate) class_scope: Vec<u32>,
    /// Scope of the body of each function.
    pub(crate) function_scope: Vec<u32>,
    /// The statement or expression that holds each function.
    pub(crate) function_expr: Vec<Option<ExprId>>,
    /// Values that each function gives back.
    pub(crate) returns: Vec<Vec<ExprId>>,
    /// Values that a generator function gives out, one by one.
    pub(crate) yields: Vec<Vec<ExprId>>,
    /// All calls, in the order of the arena.
    pub(crate) calls: Vec<ExprId>,
    /// Fields that methods assign to the receiver, by class and name.
    pub(crate) fields: HashMap<(ClassId, &'m str), Vec<Binding<'m>>>,
    /// What is put into a named collection or object after it was made: `messages.append(x)`, `data["k"] = x`.
    pub(crate) mutations: HashMap<(u32, &'m str), Vec<ExprId>>,
    /// What a method of a class puts into a field of its object: `self.history.append(x)`.
    pub(crate) put_in_fields: HashMap<(ClassId, &'m str), Vec<ExprId>>,
    /// Calls of which nothing is kept beside a variable that they are handed, and which may fill it: `fill(&mut text, x)`.
    pub(crate) handed: HashMap<(u32, &'m str), Vec<ExprId>>,
    /// The field of a variable into which a value is put: `plan.topics = x`.
    pub(crate) put_into: HashMap<ExprId, &'m str>,
    /// Conditions of branches with the statement that they steer.
    pub(crate) conditions: Vec<(ExprId, u32)>,
    /// Whether the module holds components that a browser shows.
    pub(crate) has_elements: bool,
    /// For each scope its number in an order in which all scopes inside of it follow, and the number behind the last of
    /// them.
    scope_order: Vec<(u32, u32)>,
    /// For each statement the number behind the last one inside of it.
    stmt_end: Vec<u32>,
    /// The values of each block expression.
    block_values: HashMap<ExprId, Vec<ExprId>>,
    /// Calls by the order of their scopes.
    calls_by_scope: Vec<(u32, ExprId)>,
    /// Expressions by the order of their scopes, once somebody asks.
    exprs_by_scope: OnceCell<Vec<(u32, ExprId)>>,
    /// The statements in the body of each function.
    function_stmts: Vec<(u32, u32)>,
    /// Scopes of functions that bind a name which the module binds too, once somebody asks.
    shadows: OnceCell<HashMap<&'m str, Vec<u32>>>,
}

struct Walker<'m> {
    index: Index<'m>,
    depth: u32,
    /// Names of Python or PHP that a scope says to be those of a scope around it: `global x`, `nonlocal x`.
    outer: HashSet<(u32, &'m str)>,
    /// Writers by what they write into: `multipart.NewWriter(&body)`, `new PrintWriter(text)`.
    writers: HashMap<(u32, &'m str), (u32, &'m str)>,
    /// Names that several blocks of the function that is walked declare.
    repeated: HashSet<&'m str>,
}

impl<'m> Index<'m> {
    /// Walks the module once.
    pub(crate) fn new(module: &'m Module) -> Self {
        let exprs = module.exprs.len();
        let mut walker = Walker {
            index: Self {
                module,
                scopes: Vec::new(),
                expr_scope: vec![NONE; exprs],
                expr_parent: vec![NONE; exprs],
                expr_stmt: vec![NONE; exprs],
                stmts: Vec::new(),
                class_scope: vec![NONE; module.classes.len()],
                function_scope: vec![NONE; module.functions.len()],
                function_expr: vec![None; module.functions.len()],
                returns: vec![Vec::new(); module.functions.len()],
                yields: vec![Vec::new(); module.functions.len()],
                calls: Vec::new(),
                fields: HashMap::default(),
                mutations: HashMap::default(),
                put_in_fields: HashMap::default(),
                handed: HashMap::default(),
                put_into: HashMap::default(),
                conditions: Vec::new(),
                has_elements: false,
                scope_order: Vec::new(),
                stmt_end: Vec::new(),
                block_values: HashMap::default(),
                calls_by_scope: Vec::new(),
                exprs_by_scope: OnceCell::new(),
                function_stmts: vec![(0, 0); module.functions.len()],
                shadows: OnceCell::new(),
            },
            depth: 0,
            outer: HashSet::default(),
            writers: HashMap::default(),
            repeated: blocks::repeated(module.language, &module.body),
        };
        walker.scope(NONE, ScopeKind::Module);
        for (at, import) in module.imports.iter().enumerate() {
            for (which, binding) in import.bindings.iter().enumerate() {
                if import.type_only || binding.type_only {
                    continue;
                }
                let source = BindSource::Import(crate::values::id(at), crate::values::id(which));
                walker.bind(0, &binding.local, source, ThinVec::new(), None);
            }
        }
        walker.block(&module.body, NONE, Role::Top, 0);
        // Classes and functions that no statement holds (as some lowerings keep them) are indexed at the top.
        for at in 0..module.classes.len() {
            walker.class(ClassId(crate::values::id(at)), 0);
        }
        for at in 0..module.functions.len() {
            walker.function(FunctionId(crate::values::id(at)), 0, NONE);
        }
        let mut index = walker.index;
        index.settle();
        index
    }

    /// What can be told once everything was walked.
    fn settle(&mut self) {
        let module = self.module;
        let ids = || (0..module.exprs.len()).map(|at| ExprId(crate::values::id(at)));
        self.calls = ids()
            .filter(|id| matches!(module.expr(*id), Expr::Call { .. }) && self.expr_scope[id.0 as usize] != NONE)
            .collect();
        self.has_elements = module
            .exprs
            .iter()
            .any(|expr| matches!(expr.kind, Expr::Element { .. }));
        // A scope stands behind the one around it, and a statement behind the one that holds it.
        let mut sizes = vec![1_u32; self.scopes.len()];
        for at in (1..self.scopes.len()).rev() {
            let parent = self.scopes[at].parent as usize;
            sizes[parent] += sizes[at];
        }
        let mut next = vec![0_u32; self.scopes.len()];
        for at in 0..self.scopes.len() {
            let parent = self.scopes[at].parent;
            let own = if parent == NONE { 0 } else { next[parent as usize] };
            if parent != NONE {
                next[parent as usize] += sizes[at];
            }
            next[at] = own + 1;
            self.scope_order.push((own, own + sizes[at]));
        }
        self.stmt_end = (1..=crate::values::id(self.stmts.len())).collect();
        for at in (0..self.stmts.len()).rev() {
            let parent = self.stmts[at].parent;
            if parent != NONE {
                let end = self.stmt_end[at];
                let outer = &mut self.stmt_end[parent as usize];
                *outer = end.max(*outer);
            }
        }
        for info in &self.stmts {
            let Role::BlockExpr(block) = info.role else { continue };
            match &info.stmt.kind {
                StmtKind::Expr(value) => self.block_values.entry(block).or_default().push(*value),
                StmtKind::Try { .. } | StmtKind::If { .. } | StmtKind::Match { .. } | StmtKind::With { .. }
                    if info.next == NONE =>
                {
                    let values = self.block_values.entry(block).or_default();
                    ends(std::slice::from_ref(info.stmt), 0, values);
                }
                _ => {}
            }
        }
        self.calls_by_scope = self.by_scope(self.calls.iter().copied());
    }

    fn by_scope(&self, ids: impl Iterator<Item = ExprId>) -> Vec<(u32, ExprId)> {
        let mut out: Vec<(u32, ExprId)> = ids
            .map(|id| (self.scope_order[self.expr_scope[id.0 as usize] as usize].0, id))
            .collect();
        out.sort_unstable();
        out
    }

    /// Those that stand in a function, lambdas and nested functions included, or at the top of the file where there is no
    /// function; in the order of the arena.
    fn part_of(&self, all: &[(u32, ExprId)], function: Option<FunctionId>) -> Vec<ExprId> {
        let Some(function) = function else {
            // The arena's order is kept without sorting.
            let mut out: Vec<ExprId> = all
                .iter()
                .map(|(_, id)| *id)
                .filter(|id| self.function_of(*id).is_none())
                .collect();
            out.sort_unstable();
            return out;
        };
        let scope = self.function_scope[function.0 as usize];
        let Some((first, end)) = self.scope_order.get(scope as usize).copied() else {
            return Vec::new();
        };
        let from = all.partition_point(|(at, _)| *at < first);
        let to = all.partition_point(|(at, _)| *at < end);
        let mut out: Vec<ExprId> = all[from..to].iter().map(|(_, id)| *id).collect();
        out.sort_unstable();
        out
    }

    /// Scopes of functions that bind a name which the module binds too, in order.
    pub(crate) fn function_scopes_with(&self, name: &str) -> &[u32] {
        let shadows = self.shadows.get_or_init(|| {
            let mut out: HashMap<&'m str, Vec<u32>> = HashMap::default();
            let top = self.scopes.first().map(|top| &top.names);
            for (at, scope) in self.scopes.iter().enumerate().skip(1) {
                if matches!(scope.kind, ScopeKind::Function(_)) {
                    #[expect(clippy::iter_over_hash_type, reason = "the names go into a map")]
                    for name in scope.names.keys() {
                        if top.is_some_and(|top| top.contains_key(name)) {
                            out.entry(name).or_default().push(crate::values::id(at));
                        }
                    }
                }
            }
            out
        });
        shadows.get(name).map_or(&[], Vec::as_slice)
    }

    /// Calls inside a function, lambdas included; of the top of the file where there is no function.
    pub(crate) fn calls_of(&self, function: Option<FunctionId>) -> Vec<ExprId> {
        self.part_of(&self.calls_by_scope, function)
    }

    /// Expressions inside a function, lambdas included; of the top of the file where there is no function.
    pub(crate) fn exprs_of(&self, function: Option<FunctionId>) -> Vec<ExprId> {
        let all = self.exprs_by_scope.get_or_init(|| {
            let ids = (0..self.module.exprs.len()).map(|at| ExprId(crate::values::id(at)));
            self.by_scope(ids.filter(|id| self.expr_scope[id.0 as usize] != NONE))
        });
        self.part_of(all, function)
    }

    /// Statements inside a statement, itself included.
    pub(crate) fn stmts_below(&self, stmt: u32) -> std::ops::Range<u32> {
        stmt..self.stmt_end[stmt as usize]
    }

    /// The statements in the body of a function, those inside of others included.
    pub(crate) fn stmts_of(&self, function: FunctionId) -> &[StmtInfo<'m>] {
        let (first, end) = self.function_stmts[function.0 as usize];
        self.stmts.get(first as usize..end as usize).unwrap_or_default()
    }

    /// The values that a block expression can have: of its statements, and of the ends of branches that stand at its own end.
    pub(crate) fn values_of_block(&self, block: ExprId) -> &[ExprId] {
        self.block_values.get(&block).map_or(&[], Vec::as_slice)
    }

    /// The innermost function around an expression.
    pub(crate) fn function_of(&self, expr: ExprId) -> Option<FunctionId> {
        self.function_of_scope(self.expr_scope[expr.0 as usize])
    }

    /// The function of a scope or of the nearest scope around it.
    pub(crate) fn function_of_scope(&self, scope: u32) -> Option<FunctionId> {
        self.scopes.get(scope as usize)?.function
    }

    /// The nearest function with a name around an expression: the one a reader would call "the function".
    pub(crate) fn named_function_of(&self, expr: ExprId) -> Option<FunctionId> {
        self.scopes.get(self.expr_scope[expr.0 as usize] as usize)?.named
    }

    /// The outermost function around an expression.
    pub(crate) fn outermost_function_of(&self, expr: ExprId) -> Option<FunctionId> {
        self.scopes.get(self.expr_scope[expr.0 as usize] as usize)?.outermost
    }

    /// All functions around an expression, innermost first.
    pub(crate) fn functions_around(&self, expr: ExprId) -> Vec<FunctionId> {
        let mut out = Vec::new();
        let mut scope = self.expr_scope[expr.0 as usize];
        while scope != NONE {
            if let ScopeKind::Function(function) = self.scopes[scope as usize].kind {
                out.push(function);
            }
            scope = self.scopes[scope as usize].parent;
        }
        out
    }

    /// The class around a scope.
    pub(crate) fn class_of_scope(&self, scope: u32) -> Option<ClassId> {
        self.scopes.get(scope as usize)?.class
    }

    /// The expressions above one, nearest first, within its statement; block expressions are passed through.
    pub(crate) fn ancestors(&self, expr: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        let above = |id: ExprId| {
            let parent = self.expr_parent[id.0 as usize];
            (parent != NONE).then_some(ExprId(parent))
        };
        std::iter::successors(above(expr), move |id| above(*id)).take(400)
    }

    /// The statements around an expression, nearest first, up to the border of its function.
    pub(crate) fn statements_around(&self, expr: ExprId) -> Vec<u32> {
        let mut out = Vec::new();
        let mut at = self.expr_stmt[expr.0 as usize];
        while at != NONE && out.len() < 400 {
            out.push(at);
            let info = &self.stmts[at as usize];
            if matches!(info.role, Role::FunctionBody(_)) {
                break;
            }
            at = info.parent;
        }
        out
    }

    /// Whether an expression stands in a function, lambdas and nested functions included.
    pub(crate) fn within(&self, expr: ExprId, function: FunctionId) -> bool {
        let order = |scope: u32| self.scope_order.get(scope as usize).copied();
        let inner = order(self.expr_scope[expr.0 as usize]);
        let outer = order(self.function_scope[function.0 as usize]);
        matches!((inner, outer), (Some((at, _)), Some((first, end))) if first <= at && at < end)
    }
}

impl<'m> Walker<'m> {
    /// Opens a scope.
    fn scope(&mut self, parent: u32, kind: ScopeKind) -> u32 {
        let module = self.index.module;
        let outer = self.index.scopes.get(parent as usize);
        let (mut function, mut named, mut outermost, mut class) = outer.map_or((None, None, None, None), |outer| {
            (outer.function, outer.named, outer.outermost, outer.class)
        });
        match kind {
            ScopeKind::Function(own) => {
                let node = module.function(own);
                function = Some(own);
                outermost = outermost.or(function);
                if node.name.is_some() {
                    named = function;
                }
                class = node.class.or(class);
            }
            ScopeKind::Class(own) => class = Some(own),
            ScopeKind::Module | ScopeKind::Block => {}
        }
        let id = crate::values::id(self.index.scopes.len());
        self.index.scopes.push(Scope {
            parent,
            kind,
            names: HashMap::default(),
            function,
            named,
            outermost,
            class,
        });
        id
    }

    fn bind(
        &mut self,
        scope: u32,
        name: &'m str,
        source: BindSource,
        steps: ThinVec<Step<'m>>,
        annotation: Option<&'m TypeRef>,
    ) {
        let binding = Binding {
            source,
            steps,
            annotation,
            scope,
        };
        self.index.scopes[scope as usize]
            .names
            .entry(name)
            // Most names are bound once.
            .or_insert_with(|| Vec::with_capacity(1))
            .push(binding);
    }

    fn block(&mut self, stmts: &'m [Stmt], parent: u32, role: Role, scope: u32) {
        let own = match role {
            Role::Top | Role::FunctionBody(_) => false,
            // No other block of the function sees into one that is a value.
            Role::BlockExpr(_) => blocks::has(self.index.module.language) && blocks::declares(stmts),
            _ => blocks::declares_one(stmts, &self.repeated),
        };
        let scope = if own {
            self.scope(scope, ScopeKind::Block)
        } else {
            scope
        };
        let mut previous = NONE;
        for stmt in stmts {
            let id = crate::values::id(self.index.stmts.len());
            self.index.stmts.push(StmtInfo {
                stmt,
                parent,
                role,
                next: NONE,
            });
            if previous != NONE {
                self.index.stmts[previous as usize].next = id;
            }
            previous = id;
            if self.depth >= NESTING_MAX {
                continue;
            }
            self.depth += 1;
            self.stmt(stmt, id, scope);
            self.depth -= 1;
        }
    }

    fn stmt(&mut self, stmt: &'m Stmt, id: u32, scope: u32) {
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.expr(*expr, NONE, id, scope);
                let mut value = *expr;
                while let Expr::Await(inner) | Expr::Propagate(inner) = self.index.module.expr(value) {
                    value = *inner;
                }
                if let Expr::Call { callee, args, .. } = self.index.module.expr(value)
                    && let Expr::Name(word) = self.index.module.expr(*callee)
                    && matches!(&**word, "global" | "nonlocal")
                {
                    for arg in args {
                        if let Expr::Name(name) = self.index.module.expr(arg.value) {
                            self.outer.insert((scope, name));
                        }
                    }
                }
                self.put_by(*expr, scope, false);
                if let Expr::Other(parts) = self.index.module.expr(*expr)
                    && let Some(function) = self.index.function_of_scope(scope)
                {
                    self.index.yields[function.0 as usize].extend(parts.iter().copied());
                }
            }
            StmtKind::Assign {
                target,
                value,
                annotation,
                declares,
            } => {
                if let Some(value) = value {
                    self.expr(*value, NONE, id, scope);
                    if indirect_writes::drops(target) {
                        self.put_by(*value, scope, true);
                        self.hand(*value, scope);
                    }
                }
                let source = value.map_or(BindSource::Nothing, BindSource::Value);
                self.pattern(
                    target,
                    source,
                    &mut Vec::new(),
                    annotation.as_deref(),
                    *declares,
                    id,
                    scope,
                );
                if let Some(value) = value {
                    self.note_writer(target, *value, scope);
                }
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(*value, NONE, id, scope);
                    if let Some(function) = self.index.function_of_scope(scope) {
                        self.index.returns[function.0 as usize].push(*value);
                        // `parts.forEach(part -> text.append(part))`; in Ruby the last statement of a method is what it gives.
                        let used = self.index.module.language != Language::Ruby;
                        if !used || self.index.module.function(function).name.is_none() {
                            self.put_by(*value, scope, used);
                        }
                    }
                }
            }
            StmtKind::Raise(value) => {
                if let Some(value) = value {
                    self.expr(*value, NONE, id, scope);
                }
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(*condition, NONE, id, scope);
                self.index.conditions.push((*condition, id));
                self.block(then, id, Role::Then, scope);
                self.block(otherwise, id, Role::Otherwise, scope);
            }
            StmtKind::Match { subject, arms } => {
                if let Some(subject) = subject {
                    self.expr(*subject, NONE, id, scope);
                    self.index.conditions.push((*subject, id));
                }
                for arm in arms {
                    self.block(arm, id, Role::Arm, scope);
                }
            }
            StmtKind::Loop { pattern, subject, body } => {
                if let Some(subject) = subject {
                    self.expr(*subject, NONE, id, scope);
                    if pattern.is_none() {
                        self.index.conditions.push((*subject, id));
                    }
                }
                let mut scope = scope;
                if let Some(pattern) = pattern {
                    if blocks::binds_one(pattern, &self.repeated) {
                        scope = self.scope(scope, ScopeKind::Block);
                    }
                    let source = subject.map_or(BindSource::Nothing, BindSource::Each);
                    self.pattern(pattern, source, &mut Vec::new(), None, Declares::InBlock, id, scope);
                }
                self.block(body, id, Role::LoopBody, scope);
            }
            StmtKind::With { items, body } => {
                let names = |(_, pattern): &(ExprId, Option<Pattern>)| {
                    pattern
                        .as_ref()
                        .is_some_and(|pattern| blocks::binds_one(pattern, &self.repeated))
                };
                let scope = if items.iter().any(names) {
                    self.scope(scope, ScopeKind::Block)
                } else {
                    scope
                };
                for (value, pattern) in items {
                    self.expr(*value, NONE, id, scope);
                    if let Some(pattern) = pattern {
                        self.pattern(
                            pattern,
                            BindSource::Value(*value),
                            &mut Vec::new(),
                            None,
                            Declares::InBlock,
                            id,
                            scope,
                        );
                    }
                }
                self.block(body, id, Role::WithBody, scope);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                self.block(body, id, Role::TryBody, scope);
                for handler in handlers {
                    if let Some(name) = &handler.name {
                        self.bind(scope, name, BindSource::Nothing, ThinVec::new(), None);
                    }
                    self.block(&handler.body, id, Role::HandlerBody, scope);
                }
                self.block(finally, id, Role::Finally, scope);
            }
            StmtKind::Function(function) => {
                if let Some(name) = &self.index.module.function(*function).name {
                    self.bind(scope, name, BindSource::Function(*function), ThinVec::new(), None);
                }
                self.function(*function, scope, id);
            }
            StmtKind::Class(class) => self.class_in(*class, scope, id),
            StmtKind::Import(import) => self.import(*import, scope),
            StmtKind::Block(stmts) => self.block(stmts, id, Role::Block, scope),
        }
    }

    /// What a function of Python brings in is a name of its own beside what it assigns: `try: from a import B` `except ImportError: B = None`.
    fn import(&mut self, import: u32, scope: u32) {
        let module = self.index.module;
        if scope == 0 || module.language != Language::Python {
            return;
        }
        for (which, binding) in (0..).zip(&module.imports[import as usize].bindings) {
            if !binding.type_only {
                let source = BindSource::Import(import, which);
                self.bind(scope, &binding.local, source, ThinVec::new(), None);
            }
        }
    }

    fn class(&mut self, class: ClassId, scope: u32) {
        if self.index.class_scope[class.0 as usize] == NONE {
            self.class_in(class, scope, NONE);
        }
    }

    fn class_in(&mut self, class: ClassId, scope: u32, stmt: u32) {
        let module = self.index.module;
        if self.index.class_scope[class.0 as usize] != NONE {
            return;
        }
        let node = module.class(class);
        if let Some(name) = &node.name {
            self.bind(scope, name, BindSource::Class(class), ThinVec::new(), None);
        }
        for decorator in &node.decorators {
            self.expr(*decorator, NONE, stmt, scope);
        }
        let inner = self.scope(scope, ScopeKind::Class(class));
        self.index.class_scope[class.0 as usize] = inner;
        for field in &node.fields {
            if let Some(value) = field.value {
                self.expr(value, NONE, stmt, inner);
            }
            for decorator in &field.decorators {
                self.expr(*decorator, NONE, stmt, inner);
            }
            let source = field.value.map_or(BindSource::Nothing, BindSource::Value);
            self.bind(inner, &field.name, source, ThinVec::new(), field.annotation.as_ref());
        }
        for method in &node.methods {
            if let Some(name) = &module.function(*method).name {
                self.bind(inner, name, BindSource::Function(*method), ThinVec::new(), None);
            }
            self.function(*method, inner, stmt);
        }
    }

    fn function(&mut self, function: FunctionId, scope: u32, stmt: u32) {
        if self.index.function_scope[function.0 as usize] != NONE {
            return;
        }
        let module = self.index.module;
        let node = module.function(function);
        let inner = self.scope(scope, ScopeKind::Function(function));
        self.index.function_scope[function.0 as usize] = inner;
        for decorator in &node.decorators {
            self.expr(*decorator, NONE, stmt, scope);
        }
        for (at, param) in node.params.iter().enumerate() {
            if let Some(default) = param.default {
                self.expr(default, NONE, stmt, scope);
            }
            for decorator in &param.decorators {
                self.expr(*decorator, NONE, stmt, scope);
            }
            let source = BindSource::Param(function, crate::values::id(at));
            self.pattern(
                &param.pattern,
                source,
                &mut Vec::new(),
                param.annotation.as_ref(),
                Declares::InFunction,
                stmt,
                inner,
            );
        }
        if self.depth < NESTING_MAX {
            let first = crate::values::id(self.index.stmts.len());
            let repeated = std::mem::replace(&mut self.repeated, blocks::repeated(module.language, &node.body));
            self.depth += 1;
            self.block(&node.body, stmt, Role::FunctionBody(function), inner);
            self.depth -= 1;
            self.repeated = repeated;
            self.index.function_stmts[function.0 as usize] = (first, crate::values::id(self.index.stmts.len()));
        }
        // The last expression of a body is its value in languages where blocks have one.
        if matches!(module.language, Language::Rust | Language::Ruby)
            && let Some(Stmt {
                kind: StmtKind::Expr(value),
                ..
            }) = node.body.last()
        {
            self.index.returns[function.0 as usize].push(*value);
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a pattern is walked with all that its names need"
    )]
    fn pattern(
        &mut self,
        pattern: &'m Pattern,
        source: BindSource,
        steps: &mut Vec<Step<'m>>,
        annotation: Option<&'m TypeRef>,
        declares: Declares,
        stmt: u32,
        scope: u32,
    ) {
        if steps.len() > 8 {
            return;
        }
        match pattern {
            Pattern::Name(name) => {
                let target = match declares {
                    Declares::InBlock => scope,
                    Declares::InFunction => self.whole_scope(scope),
                    Declares::Nothing => self.assigned_scope(scope, name),
                };
                self.bind(target, name, source, steps.iter().copied().collect(), annotation);
                if target != scope
                    && let Some(bindings) = self.index.scopes[target as usize].names.get_mut(&**name)
                    && let Some(last) = bindings.last_mut()
                {
                    last.scope = scope;
                }
            }
            Pattern::Place(place) => {
                self.expr(*place, NONE, stmt, scope);
                let module = self.index.module;
                if let Expr::Member { object, name } = module.expr(*place)
                    && let Expr::Name(base) = module.expr(*object)
                    && let Some(class) = self.index.class_of_scope(scope)
                    && self.is_receiver(base, scope)
                {
                    self.index.fields.entry((class, name)).or_default().push(Binding {
                        source,
                        steps: steps.iter().copied().collect(),
                        annotation,
                        scope,
                    });
                }
                if let BindSource::Value(value) = source
                    && let Some(name) = base_name(module, *place)
                {
                    if let Some(field) = first_field(module, *place) {
                        // What is put into two at once is in both.
                        let known = self.index.put_into.insert(value, field);
                        if known.is_some_and(|known| known != field) {
                            self.index.put_into.remove(&value);
                        }
                    }
                    self.mutate(scope, name, vec![value]);
                }
            }
            Pattern::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    steps.push(Step::Position(at));
                    self.pattern(part, source, steps, None, declares, stmt, scope);
                    steps.pop();
                }
            }
            Pattern::Object(parts) => {
                for (key, part) in parts {
                    steps.push(Step::Key(key));
                    self.pattern(part, source, steps, None, declares, stmt, scope);
                    steps.pop();
                }
            }
            Pattern::Ignore => {}
        }
    }

    /// The scope around the blocks of a function.
    fn whole_scope(&self, mut scope: u32) -> u32 {
        while self.index.scopes[scope as usize].kind == ScopeKind::Block {
            scope = self.index.scopes[scope as usize].parent;
        }
        scope
    }

    /// Where an assignment without a declaration goes: the nearest scope that has the name, else this one.
    fn assigned_scope(&self, scope: u32, name: &str) -> u32 {
        if matches!(
            self.index.module.language,
            Language::Python | Language::Notebook | Language::Php
        ) {
            if !self.outer.contains(&(scope, name)) {
                return scope;
            }
            let mut at = self.index.scopes[scope as usize].parent;
            while at != NONE {
                if self.index.scopes[at as usize].names.contains_key(name) {
                    return at;
                }
                at = self.index.scopes[at as usize].parent;
            }
            return scope;
        }
        let ruby = self.index.module.language == Language::Ruby;
        let mut at = scope;
        while at != NONE {
            let here = &self.index.scopes[at as usize];
            if here.names.contains_key(name) {
                return at;
            }
            // A block sees the variables around it, a method does not.
            let closed = match here.kind {
                ScopeKind::Function(function) => self.index.module.function(function).name.is_some(),
                ScopeKind::Class(_) => true,
                ScopeKind::Module | ScopeKind::Block => false,
            };
            if ruby && closed {
                return scope;
            }
            at = here.parent;
        }
        scope
    }

    fn is_receiver(&self, name: &str, mut scope: u32) -> bool {
        if matches!(name, "self" | "this" | "cls") {
            return true;
        }
        while scope != NONE {
            if let ScopeKind::Function(function) = self.index.scopes[scope as usize].kind
                && self.index.module.function(function).receiver.as_deref() == Some(name)
            {
                return true;
            }
            scope = self.index.scopes[scope as usize].parent;
        }
        false
    }

    fn mutate(&mut self, scope: u32, name: &'m str, values: Vec<ExprId>) {
        let mut at = scope;
        while at != NONE {
            if self.index.scopes[at as usize].names.contains_key(name) {
                let behind = self.writers.get(&(at, name)).copied();
                if let Some((scope, name)) = behind {
                    self.index
                        .mutations
                        .entry((scope, name))
                        .or_default()
                        .extend(values.iter().copied());
                }
                self.index.mutations.entry((at, name)).or_default().extend(values);
                return;
            }
            at = self.index.scopes[at as usize].parent;
        }
    }

    fn expr(&mut self, expr: ExprId, parent: u32, stmt: u32, scope: u32) {
        let at = expr.0 as usize;
        if at >= self.index.expr_scope.len() || self.index.expr_scope[at] != NONE || self.depth >= NESTING_MAX {
            return;
        }
        self.index.expr_scope[at] = scope;
        self.index.expr_parent[at] = parent;
        self.index.expr_stmt[at] = stmt;
        self.depth += 1;
        let module = self.index.module;
        match module.expr(expr) {
            Expr::Function(function) => {
                self.index.function_expr[function.0 as usize] = Some(expr);
                self.function(*function, scope, stmt);
            }
            Expr::Class(class) => self.class_in(*class, scope, stmt),
            Expr::Block(stmts) => {
                self.block(stmts, stmt, Role::BlockExpr(expr), scope);
            }
            Expr::Assign { target, value } => {
                self.expr(*value, expr.0, stmt, scope);
                self.pattern(
                    target,
                    BindSource::Value(*value),
                    &mut Vec::new(),
                    None,
                    Declares::Nothing,
                    stmt,
                    scope,
                );
            }
            Expr::Comprehension { loops, value } => {
                for (pattern, over) in loops {
                    self.expr(*over, expr.0, stmt, scope);
                    self.pattern(
                        pattern,
                        BindSource::Each(*over),
                        &mut Vec::new(),
                        None,
                        Declares::InBlock,
                        stmt,
                        scope,
                    );
                }
                self.expr(*value, expr.0, stmt, scope);
            }
            Expr::Choice { condition, values } => {
                if let Some(condition) = condition {
                    self.index.conditions.push((*condition, stmt));
                    self.expr(*condition, expr.0, stmt, scope);
                }
                for value in values {
                    self.expr(*value, expr.0, stmt, scope);
                }
            }
            _ => {
                for child in module.children(expr) {
                    self.expr(child, expr.0, stmt, scope);
                }
                for name in indirect_writes::filled_by(module, expr) {
                    if !self.is_reply(name, scope) {
                        self.mutate(scope, name, vec![expr]);
                    }
                }
            }
        }
        self.depth -= 1;
    }
}

/// The field of a variable that a place lies in: `topics` of `plan.topics[0].name`.
fn first_field(module: &Module, place: ExprId) -> Option<&str> {
    /// Steps from a place to the variable.
    const STEPS_MAX: usize = 12;
    let mut at = place;
    for _ in 0..STEPS_MAX {
        let Expr::Member { object, name } = module.expr(at) else {
            let Expr::Index { object, .. } = module.expr(at) else {
                return None;
            };
            at = *object;
            continue;
        };
        if matches!(module.expr(*object), Expr::Name(_)) {
            return Some(name);
        }
        at = *object;
    }
    None
}

/// The name at the root of a chain of members and indexes.
pub(crate) fn base_name(module: &Module, mut expr: ExprId) -> Option<&str> {
    for _ in 0..32 {
        match module.expr(expr) {
            Expr::Name(name) => return Some(name),
            Expr::Member { object, .. } | Expr::Index { object, .. } => expr = *object,
            _ => return None,
        }
    }
    None
}

/// The last values of statements and of the branches in which they end.
fn ends(stmts: &[Stmt], depth: u32, out: &mut Vec<ExprId>) {
    /// Branches in one another that are looked at.
    const DEPTH_MAX: u32 = 6;
    let Some(last) = stmts.last().filter(|_| depth < DEPTH_MAX) else {
        return;
    };
    match &last.kind {
        StmtKind::Expr(value) => out.push(*value),
        StmtKind::Try { body, handlers, .. } => {
            ends(body, depth + 1, out);
            for handler in handlers {
                ends(&handler.body, depth + 1, out);
            }
        }
        StmtKind::If { then, otherwise, .. } => {
            ends(then, depth + 1, out);
            ends(otherwise, depth + 1, out);
        }
        StmtKind::Match { arms, .. } => {
            for arm in arms {
                ends(arm, depth + 1, out);
            }
        }
        StmtKind::With { body, .. } | StmtKind::Block(body) => ends(body, depth + 1, out),
        _ => {}
    }
}
