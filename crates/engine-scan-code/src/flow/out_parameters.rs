//! Out parameters: values that functions of the project write into a variable of the caller, as in `fill(&mut text,
//! question)`.

use engine_syntax::ir::{Expr, Pattern};

use super::{CALLEES_MAX, Flow, MUTATIONS_MAX, Origins};
use crate::values::{ExprRef, FunctionRef};

/// Functions that hand a variable on to one another to be filled.
const HANDED_MAX: u32 = 2;

impl Flow<'_, '_> {
    /// Adds what the calls that a variable is handed to put into it.
    pub(super) fn filled(&self, unit: u32, scope: u32, name: &str, depth: u32, out: &mut Origins) -> bool {
        let Some(calls) = self.world.index(unit).handed.get(&(scope, name)) else {
            return false;
        };
        let around = self.within.get();
        let mut any = false;
        for call in calls {
            let call = ExprRef(unit, *call);
            let mut fills = false;
            for function in self.world.callees(call).iter().take(CALLEES_MAX) {
                fills |= self.filled_in(call, *function, name, depth, out);
                self.within.set(around);
            }
            let Expr::Call { args, .. } = self.world.expr(call) else {
                continue;
            };
            for arg in args.iter().filter(|_| fills) {
                let arg = ExprRef(unit, arg.value);
                if !matches!(self.world.expr(arg), Expr::Name(own) if &**own == name) {
                    out.add(&self.origins(arg));
                }
            }
            any |= fills;
        }
        any
    }

    /// What one function puts into the parameter for which a variable is handed in; the other arguments of that call are looked at beside it.
    fn filled_in(&self, call: ExprRef, function: FunctionRef, name: &str, depth: u32, out: &mut Origins) -> bool {
        let world = self.world;
        let index = world.index(function.0);
        let scope = index.function_scope[function.1.0 as usize];
        let mut fills = false;
        for (position, param) in (0..).zip(&world.function(function).params) {
            let Pattern::Name(inner) = &param.pattern else { continue };
            let is_handed = || {
                world
                    .argument_for(function, position, call)
                    .is_some_and(|arg| matches!(world.expr(arg), Expr::Name(own) if &**own == name))
            };
            let put = index.mutations.get(&(scope, &**inner));
            let hands_on = depth < HANDED_MAX && index.handed.contains_key(&(scope, &**inner));
            if put.is_none() && !hands_on || !is_handed() {
                continue;
            }
            self.within.set(Some(function));
            for value in put.into_iter().flatten().take(MUTATIONS_MAX) {
                out.add(&self.origins(ExprRef(function.0, *value)));
            }
            fills |= put.is_some();
            if hands_on {
                fills |= self.filled(function.0, scope, inner, depth + 1, out);
            }
        }
        fills
    }
}
