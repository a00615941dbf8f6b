//! Component state: the values that its setter is called with.

use std::rc::Rc;

use engine_syntax::ir::{Expr, ExprId, StmtKind};
use rustc_hash::FxHashMap;

use super::{Flow, Origins, pattern_names};
use crate::index::{BindSource, Binding, NONE, Step};
use crate::values::ExprRef;

/// Uses of one setter that are looked at.
const USES_MAX: usize = 24;

/// Places of each name of a setter in a file.
pub(super) type Setters<'m> = Rc<FxHashMap<&'m str, Vec<ExprId>>>;

/// Calls that make a state which the markup of a component shows and fills.
const STATES: [&str; 8] = [
    "ref",
    "shallowRef",
    "reactive",
    "signal",
    "useSignal",
    "$state",
    "writable",
    "createSignal",
];

/// Whether what is called makes a state of a component.
pub(crate) fn makes_a_state(callee: &Expr) -> bool {
    matches!(callee, Expr::Name(name) if STATES.contains(&&**name))
}

impl<'m> Flow<'_, 'm> {
    /// Adds what is put into a state: `const [text, setText] = useState("")`, `setText(event.target.value)`. Answers are shown from there and
    /// told apart elsewhere.
    pub(super) fn of_state(&self, value: ExprRef, binding: &Binding<'m>, out: &mut Origins) {
        if binding.steps.first() != Some(&Step::Position(0)) || !self.is_state(value) {
            return;
        }
        let index = self.world.index(value.0);
        let stmt = index.expr_stmt[value.1.0 as usize];
        if stmt == NONE {
            return;
        }
        let StmtKind::Assign { target, .. } = &index.stmts[stmt as usize].stmt.kind else {
            return;
        };
        let [_, setter] = pattern_names(target)[..] else {
            return;
        };
        let component = index.outermost_function_of(value.1);
        let setters = self.setters.get_or(value.0, || self.find_setters(value.0));
        let uses = setters.get(setter).into_iter().flatten().copied();
        let mut put = Origins::default();
        for used in uses
            .filter(|used| index.outermost_function_of(*used) == component)
            .take(USES_MAX)
        {
            self.put_by(ExprRef(value.0, used), &mut put);
        }
        put.answers = super::Answers::default();
        // An empty state that somebody fills holds what it is filled with.
        if put != Origins::default() {
            out.constant &= put.constant;
            out.add(&put);
        }
    }

    /// What one use of a setter puts into its state.
    fn put_by(&self, used: ExprRef, out: &mut Origins) {
        let world = self.world;
        let Some(parent) = world.parent(used) else { return };
        match world.expr(parent) {
            Expr::Call { callee, args, .. } if *callee == used.1 => {
                let Some(first) = args.first() else { return };
                match world.expr(ExprRef(used.0, first.value)) {
                    // `setTurns((before) => [...before, turn])`
                    Expr::Function(function) => {
                        for given in &world.index(used.0).returns[function.0 as usize] {
                            out.add(&self.origins(ExprRef(used.0, *given)));
                        }
                    }
                    _ => out.add(&self.origins(ExprRef(used.0, first.value))),
                }
            }
            // `<TextInput onChangeText={setText} />`, and a part of the page that fills it.
            Expr::Element(element) => {
                let heard = element
                    .attributes
                    .iter()
                    .any(|(name, value)| *value == used.1 && name.starts_with("on"));
                out.user |= heard;
                out.unknown |= !heard;
            }
            Expr::Call { .. } | Expr::Map(_) => out.unknown = true,
            _ => {}
        }
    }

    /// Whether a call makes a state of a component.
    fn is_state(&self, value: ExprRef) -> bool {
        matches!(self.world.expr(value), Expr::Call { callee, .. }
            if matches!(self.world.module(value.0).expr(*callee), Expr::Name(name) | Expr::Member { name, .. } if &**name == "useState"))
    }

    /// Whether a call makes an empty state that the markup of a component may fill.
    pub(super) fn is_filled_by_markup(&self, call: ExprRef) -> bool {
        if !crate::project::is_script(self.world.unit(call.0).language) {
            return false;
        }
        let Expr::Call { callee, args, .. } = self.world.expr(call) else {
            return false;
        };
        let module = self.world.module(call.0);
        let state = makes_a_state(module.expr(*callee));
        let empty = || {
            args.iter().all(|arg| match module.expr(arg.value) {
                Expr::Str(text) => text.is_empty(),
                Expr::List(parts) => parts.is_empty(),
                Expr::Map(entries) => entries.is_empty(),
                Expr::Null => true,
                _ => false,
            })
        };
        state && empty()
    }

    /// Whether a value is a field into which a person writes: what an event happened to, or what is looked up on a page.
    pub(super) fn is_field_of_a_form(&self, object: ExprRef) -> bool {
        const LOOKS_UP: [&str; 4] = [
            "getElementById",
            "querySelector",
            "getElementsByName",
            "getElementsByClassName",
        ];
        if !crate::project::is_script(self.world.unit(object.0).language) {
            return false;
        }
        match self.world.expr(object) {
            Expr::Member { name, .. } => matches!(&**name, "target" | "currentTarget"),
            Expr::Call { .. } => LOOKS_UP.contains(&crate::facts::callee_name(self.world, object)),
            Expr::Name(_) => self.world.eval(object).iter().any(|value| {
                matches!(value, crate::values::Value::Path(path) if path.last_name().is_some_and(|name| LOOKS_UP.contains(&name)))
            }),
            _ => false,
        }
    }

    fn find_setters(&self, unit: u32) -> Setters<'m> {
        let index = self.world.index(unit);
        let mut out: FxHashMap<&'m str, Vec<ExprId>> = FxHashMap::default();
        for (at, expr) in index.module.exprs.iter().enumerate() {
            if let Expr::Name(name) = &expr.kind
                && name.starts_with("set")
                && index.expr_scope[at] != NONE
            {
                out.entry(name).or_default().push(ExprId(crate::values::id(at)));
            }
        }
        Rc::new(out)
    }

    /// Whether each binding gives an empty text: somebody fills it where that was not seen.
    pub(super) fn is_empty_text(&self, unit: u32, bindings: &[Binding<'m>]) -> bool {
        bindings.iter().all(|binding| {
            matches!(binding.source, BindSource::Value(value)
                if binding.steps.is_empty()
                    && matches!(self.world.expr(ExprRef(unit, value)), Expr::Str(text) if text.is_empty()))
        })
    }
}
