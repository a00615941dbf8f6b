//! Settings that a library reads by a schema: `z.object({ MODEL: z.string().default("gpt-4o") }).parse(process.env)`.

use std::rc::Rc;

use engine_syntax::ir::{Expr, ExprId};

use super::merge;
use crate::project::is_script;
use crate::values::{ExprRef, Path, Root, Seg, Value};
use crate::world::World;

/// Steps of one chain of a schema: `z.string().trim().min(1).default("x")`.
const CHAIN_MAX: usize = 12;

/// Parts of a schema of `createEnv`.
const PARTS: [&str; 3] = ["server", "client", "shared"];

impl World<'_> {
    /// What a schema says of an entry of the settings that it has read: its default, and the variable by that name.
    pub(super) fn schema_entry(&self, path: &Path, key: &str) -> Option<Vec<Value>> {
        if path.root != Root::Import {
            return None;
        }
        let Some(Seg::Name(library)) = path.segs.first() else {
            return None;
        };
        let entries: Vec<ExprRef> = if library.starts_with("zod") {
            self.parsed_by(path)?
        } else if library.starts_with("@t3-oss/env") {
            let parts = self.handed(path, "createEnv", 0)?;
            let given = PARTS.iter().filter_map(|part| self.literals_under(parts, part));
            given.collect()
        } else if &**library == "envalid" {
            vec![self.handed(path, "cleanEnv", 1)?]
        } else {
            return None;
        };
        let entry = entries.into_iter().find_map(|map| self.entry_expr(map, key))?;
        let mut out = self.default_in(entry);
        if out.is_empty() {
            // A schema inside of a schema is read along with it.
            for value in self.eval(entry).iter() {
                if let Value::Path(inner) = value
                    && inner.has_name("object")
                    && let Some(read) = inner
                        .then(Seg::Name(Rc::from("parse")))
                        .and_then(|read| read.then(Seg::Call(entry)))
                {
                    return Some(vec![Value::Path(Rc::new(read))]);
                }
            }
        }
        merge(&mut out, &[Value::Env(Rc::from(key))]);
        Some(out)
    }

    /// The objects of a schema of zod that a path has read.
    fn parsed_by(&self, path: &Path) -> Option<Vec<ExprRef>> {
        let last = path.last_name()?;
        let reads = matches!(last, "parse" | "parseAsync") || last == "data" && path.has_name("safeParse");
        if !reads {
            return None;
        }
        let made = path
            .steps()
            .filter(|(name, _)| matches!(*name, "object" | "strictObject" | "looseObject" | "extend"));
        let out: Vec<ExprRef> = made.filter_map(|(_, call)| self.first_literal(call, 0)).collect();
        (!out.is_empty()).then_some(out)
    }

    /// The object that a step of a path is handed at a position.
    fn handed(&self, path: &Path, name: &str, position: usize) -> Option<ExprRef> {
        let (_, call) = path.steps().find(|(step, _)| *step == name)?;
        self.first_literal(call, position)
    }

    fn first_literal(&self, call: ExprRef, position: usize) -> Option<ExprRef> {
        let Expr::Call { args, .. } = self.expr(call) else {
            return None;
        };
        let arg = ExprRef(call.0, args.get(position)?.value);
        self.literal_of(arg)
    }

    fn literal_of(&self, at: ExprRef) -> Option<ExprRef> {
        self.eval(at).iter().find_map(|value| match value {
            Value::Literal(literal) => Some(*literal),
            _ => None,
        })
    }

    fn literals_under(&self, map: ExprRef, key: &str) -> Option<ExprRef> {
        self.literal_of(self.entry_expr(map, key)?)
    }

    fn entry_expr(&self, map: ExprRef, key: &str) -> Option<ExprRef> {
        let Expr::Map(entries) = self.expr(map) else {
            return None;
        };
        let found = entries.iter().find(|entry| {
            entry.key.is_some_and(
                |id: ExprId| matches!(self.module(map.0).expr(id), Expr::Str(text) | Expr::Name(text) if **text == *key),
            )
        })?;
        Some(ExprRef(map.0, found.value))
    }

    /// The default that a part of a schema names.
    fn default_in(&self, at: ExprRef) -> Vec<Value> {
        let mut inner = at.1;
        for _ in 0..CHAIN_MAX {
            let Expr::Call { callee, args, .. } = self.module(at.0).expr(inner) else {
                return Vec::new();
            };
            match self.module(at.0).expr(*callee) {
                Expr::Member { object, name } => {
                    if matches!(&**name, "default" | "catch" | "prefault")
                        && let Some(arg) = args.first()
                    {
                        return self.eval(ExprRef(at.0, arg.value)).to_vec();
                    }
                    inner = *object;
                }
                // `str({ default: "gpt-4o" })`
                Expr::Name(_) => {
                    let default = args
                        .first()
                        .and_then(|arg| self.entry_expr(ExprRef(at.0, arg.value), "default"));
                    return default.map(|value| self.eval(value).to_vec()).unwrap_or_default();
                }
                _ => return Vec::new(),
            }
        }
        Vec::new()
    }

    /// What a service of settings is asked for by a key, with what stands in for it: `config.get("MODEL", "gpt-4o")`.
    pub(super) fn asked_setting(&self, path: &Path, at: ExprRef) -> Option<Vec<Value>> {
        let asks = matches!(path.segs.last(), Some(Seg::Name(name)) if matches!(&**name, "get" | "getOrThrow"));
        if !asks || !is_script(self.unit(at.0).language) || !path.has_name("ConfigService") {
            return None;
        }
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        let key = self.key_text(ExprRef(at.0, args.first()?.value))?;
        let mut out = Vec::new();
        if let Some(default) = args.get(1) {
            let given = self.eval(ExprRef(at.0, default.value));
            let said: Vec<Value> = given
                .iter()
                .filter(|value| matches!(value, Value::Text(_) | Value::Env(_)))
                .cloned()
                .collect();
            merge(&mut out, &said);
        }
        merge(&mut out, &[Value::Env(Rc::from(key))]);
        Some(out)
    }
}
