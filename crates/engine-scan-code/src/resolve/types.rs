//! What a declared type stands for.

use std::rc::Rc;

use engine_model::Language;
use engine_syntax::ir::TypeRef;

use super::{IMPLEMENTERS_MAX, WRAPPERS, merge};
use crate::project::{is_jvm, is_python};
use crate::shapes;
use crate::values::{ClassRef, Root, Seg, Value};
use crate::world::World;

impl World<'_> {
    /// An instance of a declared type.
    pub(crate) fn typed(&self, unit: u32, name: &TypeRef, depth: u32) -> Vec<Value> {
        let mut out = Vec::new();
        if depth > 4 {
            return out;
        }
        let last = name.name.rsplit(['.', ':']).next().unwrap_or(&name.name);
        if WRAPPERS.contains(&last) && !name.args.is_empty() {
            for arg in &name.args {
                merge(&mut out, &self.typed(unit, arg, depth + 1));
            }
            return out;
        }
        let mut parts = name.name.split(['.', ':']).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else {
            return out;
        };
        let language = self.unit(unit).language;
        if language == Language::Ruby {
            for value in self.constant_of_ruby(unit, crate::index::NONE, &name.name.as_str().replace('.', "::")) {
                match value {
                    Value::Class(class) => merge(&mut out, &[Value::Instance(class, None)]),
                    Value::Path(path) => {
                        if let Some(path) = path.then(Seg::Typed) {
                            merge(&mut out, &[Value::Path(Rc::new(path))]);
                        }
                    }
                    _ => {}
                }
            }
            return out;
        }
        // A crate or package is named in full where no import brings it in.
        let qualified = language == Language::Rust
            && name.name.contains("::")
            && shapes::knows_root(language, first)
            && !matches!(first, "self" | "super" | "crate");
        let found = if qualified {
            let mut found = self.type_lookup(unit, first);
            if found
                .iter()
                .all(|value| matches!(value, Value::Path(path) if path.root == Root::Global))
            {
                found = Self::path_of(language, first, None);
            }
            found
        } else {
            self.type_lookup(unit, first)
        };
        // What a collection holds is told by those who fill it, however its type is written: `List[Reader]`, `list[Reader]`.
        if is_python(language) && !name.args.is_empty() && found.iter().any(is_collection) {
            return out;
        }
        let mut values: Vec<Value> = found
            .into_iter()
            .filter(|value| !matches!(value, Value::Path(path) if path.root != Root::Import))
            .collect();
        for part in parts {
            let mut next = Vec::new();
            for value in &values {
                merge(&mut next, &self.member(value, part));
            }
            values = next;
        }
        for value in values {
            match value {
                Value::Class(class) if self.is_bare_go(class) => {}
                Value::Class(class) => merge(&mut out, &[Value::Instance(class, None)]),
                Value::Path(path) => {
                    if let Some(path) = path.then(Seg::Typed) {
                        merge(&mut out, &[Value::Path(Rc::new(path))]);
                    }
                }
                _ => {}
            }
        }
        // An interface whose file names nothing of a model is not looked at; who implements it is.
        if out.is_empty() && (is_jvm(language) || matches!(language, Language::CSharp | Language::Php)) {
            for class in self.implementers.get(last).into_iter().flatten().take(IMPLEMENTERS_MAX) {
                if self.unit(class.0).language == language {
                    merge(&mut out, &[Value::Instance(*class, None)]);
                }
            }
        }
        out
    }

    /// Whether a type of Go is another name of a text, a number or a truth, and can do nothing more: `type ModelType string`.
    fn is_bare_go(&self, class: ClassRef) -> bool {
        const PLAIN: [&str; 8] = ["string", "int", "int32", "int64", "uint", "float32", "float64", "bool"];
        self.unit(class.0).language == Language::Go
            && matches!(&self.module(class.0).class(class.1).bases[..], [base] if PLAIN.contains(&base.name.as_str()))
            && !self
                .module(class.0)
                .functions
                .iter()
                .any(|function| function.class == Some(class.1))
    }

    /// What a name means as a type: imports of types count here.
    pub(super) fn type_lookup(&self, unit: u32, name: &str) -> Vec<Value> {
        match self.local_import(unit, name) {
            Some(bound) => self.import(unit, &bound.module, bound.item.as_deref()),
            None => self.lookup(unit, 0, name).to_vec(),
        }
    }
}

/// Whether a value is a type of collections of the standard library of Python.
fn is_collection(value: &Value) -> bool {
    let Value::Path(path) = value else { return false };
    path.root == Root::Import
        && matches!(path.segs.first(), Some(Seg::Name(first)) if ["typing", "collections"].iter().any(|of| **of == **first
            || first.starts_with(&format!("{of}."))))
        && path.last_name().is_some_and(|name| {
            let last = name.rsplit('.').next().unwrap_or(name);
            matches!(
                last,
                "List" | "Sequence" | "Iterable" | "Collection" | "MutableSequence"
            )
        })
}
