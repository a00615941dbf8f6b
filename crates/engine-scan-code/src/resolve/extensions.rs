//! Extension functions of Kotlin and C#: which one a call on an object means, and what it gets.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::{Expr, FunctionId};

use rustc_hash::FxHashMap;

use super::merge;
use crate::memo::Extensions;
use crate::values::{ExprRef, FunctionRef, Root, Value};
use crate::world::World;

/// Extension functions of one name that are looked at.
const NAMED_MAX: usize = 8;

/// Callers whose objects are looked at for what an extension function extends.
const CALLERS_MAX: usize = 8;

impl World<'_> {
    /// The extension functions of the project that a call on an object means, where nothing else has its name.
    pub(super) fn extensions(&self, at: ExprRef, called: &[Value]) -> Vec<FunctionRef> {
        let language = self.unit(at.0).language;
        let Expr::Call { callee, .. } = self.expr(at) else {
            return Vec::new();
        };
        let Expr::Member { object, name } = self.module(at.0).expr(*callee) else {
            return Vec::new();
        };
        if !matches!(language, Language::Kotlin | Language::CSharp)
            || called.iter().any(|value| matches!(value, Value::Function(_)))
        {
            return Vec::new();
        }
        let by_name = self.extensions_by_name();
        let named: Vec<FunctionRef> = by_name
            .get(&**name)
            .into_iter()
            .flatten()
            .copied()
            .filter(|function| self.unit(function.0).language == language)
            .collect();
        if named.is_empty() || named.len() > NAMED_MAX {
            return Vec::new();
        }
        let objects = self.eval(ExprRef(at.0, *object));
        let fitting: Vec<FunctionRef> = named
            .iter()
            .copied()
            .filter(|function| self.may_extend(*function, &objects))
            .collect();
        // Of several that may be meant it is open which one is.
        if fitting.len() == 1 { fitting } else { Vec::new() }
    }

    /// Whether an object may be of the type that a function extends.
    fn may_extend(&self, function: FunctionRef, objects: &[Value]) -> bool {
        let Some(of) = &self.function(function).extends else {
            return false;
        };
        let extended = self.typed(function.0, of, 0);
        let class_of = |value: &Value| match value {
            Value::Instance(class, _) => Some(*class),
            _ => None,
        };
        // An object of the project is of a class of the project, or of one above it.
        let own: Vec<_> = objects.iter().filter_map(class_of).collect();
        if !own.is_empty() {
            return extended.iter().filter_map(class_of).any(|wanted| {
                own.iter()
                    .any(|class| *class == wanted || self.bases_of(*class).contains(&wanted))
            });
        }
        // What a library made is of a type of the library, however that is reached.
        let of_library = |value: &Value| matches!(value, Value::Path(path) if path.root == Root::Import);
        let text = |value: &Value| matches!(value, Value::Text(_) | Value::Env(_));
        let of_text = matches!(&*of.name, "String" | "string" | "CharSequence");
        if objects.iter().any(text) {
            return of_text;
        }
        let of_project = extended.iter().any(|value| class_of(value).is_some());
        !(objects.iter().any(of_library) && (of_project || of_text))
    }

    /// The extension functions of the project by their names.
    fn extensions_by_name(&self) -> Extensions {
        if let Some(known) = self.known.extensions.borrow().as_ref() {
            return Rc::clone(known);
        }
        let mut out: FxHashMap<String, Vec<FunctionRef>> = FxHashMap::default();
        for unit in 0..crate::values::id(self.units.len()) {
            for (number, function) in (0..).zip(&self.module(unit).functions) {
                if let (Some(name), Some(_)) = (&function.name, &function.extends) {
                    out.entry(name.to_string())
                        .or_default()
                        .push(FunctionRef(unit, FunctionId(number)));
                }
            }
        }
        let out = Rc::new(out);
        *self.known.extensions.borrow_mut() = Some(Rc::clone(&out));
        out
    }

    /// The object that an extension method of C# is called on at a place; none where it is called by its class.
    pub(super) fn extended_at(&self, function: FunctionRef, at: ExprRef) -> Option<ExprRef> {
        if self.function(function).extends.is_none() || self.unit(function.0).language != Language::CSharp {
            return None;
        }
        let Expr::Call { callee, .. } = self.expr(at) else {
            return None;
        };
        let Expr::Member { object, .. } = self.module(at.0).expr(*callee) else {
            return None;
        };
        let object = ExprRef(at.0, *object);
        let by_class = self.eval(object).iter().any(|value| matches!(value, Value::Class(_)));
        (!by_class).then_some(object)
    }

    /// What the objects are that an extension function of Kotlin is called on.
    pub(super) fn called_on(&self, function: FunctionRef) -> Vec<Value> {
        let mut out = Vec::new();
        // Parameters are followed no deeper than this either.
        if self.active_params.borrow().len() > 4 || !self.active_params.borrow_mut().insert((function, u32::MAX)) {
            self.cut();
            return out;
        }
        for caller in self.callers_of(function).iter().take(CALLERS_MAX) {
            let Expr::Call { callee, .. } = self.expr(*caller) else {
                continue;
            };
            if let Expr::Member { object, .. } = self.module(caller.0).expr(*callee) {
                let values = self.eval(ExprRef(caller.0, *object));
                merge(&mut out, &self.expand(&values));
            }
        }
        self.active_params.borrow_mut().remove(&(function, u32::MAX));
        out
    }
}
