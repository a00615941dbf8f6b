//! What was put into a collection that a name or a field holds: clients by session, chains by key.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};
use rustc_hash::FxHashMap as HashMap;

use super::{PUT_MAX, is_made, merge};
use crate::index::NONE;
use crate::values::{ExprRef, Value};
use crate::world::World;

/// Methods that put their last argument into a collection.
const PUTS: [&str; 10] = [
    "append",
    "push",
    "set",
    "put",
    "add",
    "Add",
    "setdefault",
    "insert",
    "TryAdd",
    "computeIfAbsent",
];

/// Whether code of a language names the fields of its own class alone.
const fn has_bare_fields(language: Language) -> bool {
    matches!(language, Language::Java | Language::Kotlin | Language::CSharp)
}

impl<'m> World<'m> {
    /// What a table of Python that is written out gives under a key: `NAMES.get(kind, "gpt-4o")`. Where the key is not known it may be any of its
    /// entries, or what is given for want of one.
    pub(super) fn taken_out_of_table(&self, at: ExprRef, object: ExprRef) -> Vec<Value> {
        let Expr::Call { args, .. } = self.expr(at) else {
            return Vec::new();
        };
        let Some(key) = args.first().filter(|arg| arg.name.is_none() && !arg.spread) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        if !crate::project::is_python(self.unit(at.0).language) {
            return out;
        }
        let tables = self.eval(object);
        let mut tables = tables
            .iter()
            .filter(|table| matches!(table, Value::Literal(map) if matches!(self.expr(*map), Expr::Map(_))))
            .peekable();
        if tables.peek().is_none() {
            return out;
        }
        let key = self.key_text(ExprRef(at.0, key.value));
        for table in tables {
            merge(&mut out, &self.element(table, key.as_deref()));
        }
        if let Some(default) = args.get(1).filter(|_| key.is_none() || out.is_empty()) {
            merge(&mut out, &self.eval(ExprRef(at.0, default.value)));
        }
        out
    }

    /// Clients, objects of the project and records of them that were put into a collection: `sessions.set(id, model.startChat())`,
    /// `self.chats[id] = {"chain": chain}`.
    pub(super) fn put_into(&self, object: ExprRef) -> Vec<Value> {
        let index = self.index(object.0);
        let base = match self.expr(object) {
            Expr::Name(base) => base,
            Expr::Member { object: of, name } if matches!(index.module.expr(*of), Expr::Name(own) if matches!(&**own, "self" | "this")) =>
            {
                return self.put_into_field(object, name);
            }
            _ => return Vec::new(),
        };
        let mut at = index.expr_scope[object.1.0 as usize];
        while at != NONE {
            if index.scopes[at as usize].names.contains_key(&**base) {
                let values = index.mutations.get(&(at, &**base)).into_iter().flatten();
                return self.leading(object.0, values);
            }
            at = index.scopes[at as usize].parent;
        }
        // Fields are named without the object that they belong to.
        if has_bare_fields(self.unit(object.0).language) {
            return self.put_into_field(object, base);
        }
        Vec::new()
    }

    /// The same for a field of the class around a place.
    fn put_into_field(&self, object: ExprRef, name: &str) -> Vec<Value> {
        let index = self.index(object.0);
        let class = index.class_of_scope(index.expr_scope[object.1.0 as usize]);
        let filled = self
            .known
            .filled
            .get_or(object.0, || Rc::new(self.filled_fields(object.0)));
        let values = filled
            .get(name)
            .into_iter()
            .flatten()
            .filter(|value| index.class_of_scope(index.expr_scope[value.0 as usize]) == class);
        self.leading(object.0, values)
    }

    /// What the methods of a file put into fields that hold collections, by the name of the field.
    fn filled_fields(&self, unit: u32) -> HashMap<&'m str, Vec<ExprId>> {
        let index = self.index(unit);
        let module = self.module(unit);
        let own_field = |at: ExprId| match module.expr(at) {
            Expr::Member { object, name } => {
                matches!(module.expr(*object), Expr::Name(own) if matches!(&**own, "self" | "this")).then_some(&**name)
            }
            Expr::Name(name) if has_bare_fields(self.unit(unit).language) => Some(&**name),
            _ => None,
        };
        let mut out: HashMap<&'m str, Vec<ExprId>> = HashMap::default();
        for info in &index.stmts {
            if let StmtKind::Assign {
                target: Pattern::Place(place),
                value: Some(value),
                ..
            } = &info.stmt.kind
                && let Expr::Index { object, .. } = module.expr(*place)
                && let Some(name) = own_field(*object)
            {
                out.entry(name).or_default().push(*value);
            }
        }
        for call in &index.calls {
            if let Expr::Call { callee, args, .. } = module.expr(*call)
                && let Expr::Member { object, name: method } = module.expr(*callee)
                && PUTS.contains(&&**method)
                && let Some(name) = own_field(*object)
                && let Some(last) = args.last()
            {
                out.entry(name).or_default().push(last.value);
            }
        }
        out
    }

    /// Of the values that were put somewhere those that lead on to a model, and the records that may hold such.
    fn leading<'v>(&self, unit: u32, values: impl Iterator<Item = &'v ExprId>) -> Vec<Value> {
        let mut out = Vec::new();
        for value in values.take(PUT_MAX) {
            let at = ExprRef(unit, *value);
            let values = self.eval(at);
            let known: Vec<Value> = values
                .iter()
                .filter(|value| {
                    is_made(value)
                        || matches!(value, Value::Literal(inner) if matches!(self.expr(*inner), Expr::Map(entries) if !entries.is_empty()))
                })
                .cloned()
                .collect();
            merge(&mut out, &known);
        }
        out
    }
}
