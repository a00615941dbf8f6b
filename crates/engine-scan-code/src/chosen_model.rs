//! Models that are chosen at run time: from settings with a default, or by branches that compare a name.

use engine_syntax::ir::{Expr, ExprId, StmtKind};

use crate::identity::Identity;
use crate::index::{BindSource, Index, NONE, Role};
use crate::model_text::{is_model_name, is_preparation};
use crate::values::{ExprRef, Path, Seg, Value};
use crate::world::World;

/// Branches of one function that are looked at.
const BRANCHES_MAX: usize = 200;

/// What is known of a model that is chosen at run time.
#[derive(Debug)]
pub(crate) enum Chosen {
    /// Nothing chooses here.
    Nothing,
    /// It is chosen, and the code does not tell which.
    Unknown,
    /// It is this one, where nothing else is set.
    Model(String),
}

impl Chosen {
    fn of(model: Option<String>) -> Self {
        model.map_or(Self::Unknown, Self::Model)
    }
}

impl World<'_> {
    /// What a value that is read by a key holds where nothing is set: `preferences.getString("model", "gemini-2.0-flash")`.
    /// The key itself is never what is read.
    pub(crate) fn default_of_setting(&self, path: &Path) -> Chosen {
        let Some(Seg::Call(call)) = path.segs.last() else {
            return Chosen::Nothing;
        };
        let Expr::Call { args, .. } = self.expr(*call) else {
            return Chosen::Nothing;
        };
        if !path.last_name().is_some_and(reads) {
            return Chosen::Nothing;
        }
        let default = args
            .iter()
            .skip(1)
            .find(|arg| arg.name.is_none() || arg.name.as_deref() == Some("default"));
        Chosen::of(default.and_then(|arg| {
            let values = self.expand(&self.eval(ExprRef(call.0, arg.value)));
            self.constant(&values).filter(|text| is_model_name(text))
        }))
    }

    /// The file that holds a model, where one function loads several files and the first prepares its input only.
    pub(crate) fn beside_preparation(&self, path: &Path, file: String) -> String {
        let Some(Seg::Call(call)) = path.segs.last().filter(|_| is_preparation(&file)) else {
            return file;
        };
        let Expr::Call { args, .. } = self.expr(*call) else {
            return file;
        };
        let others = args
            .first()
            .map(|arg| self.expand(&self.eval(ExprRef(call.0, arg.value))));
        let other = others.iter().flatten().find_map(|value| {
            self.constant(std::slice::from_ref(value))
                .filter(|text| is_model_name(text) && !is_preparation(text))
        });
        other.unwrap_or(file)
    }

    /// The model that a branch allows, where the name that a call is given is compared in several of them and the model that
    /// was found belongs to another: `if (model == "a") { x(model) }  if (model == "b") { y(model) }`.
    pub(crate) fn model_of_branch(&self, at: ExprRef, keys: &[&str], model: &str) -> Chosen {
        let Some(name) = self.name_given(at, keys) else {
            return Chosen::Nothing;
        };
        let index = self.index(at.0);
        let function = index.function_of(at.1);
        let own: Vec<u32> = enclosing(index, at.1);
        let mut here: Option<Vec<String>> = None;
        let mut elsewhere = false;
        let mut seen = 0;
        for (stmt, info) in (0..).zip(&index.stmts) {
            let StmtKind::If { condition, .. } = &info.stmt.kind else {
                continue;
            };
            if index.function_of(*condition) != function {
                continue;
            }
            seen += 1;
            if seen > BRANCHES_MAX {
                return Chosen::Nothing;
            }
            let compared = compared(index, *condition, name);
            if compared.is_empty() {
                continue;
            }
            if own.contains(&stmt) {
                here.get_or_insert(compared);
            } else {
                elsewhere |= compared.iter().any(|text| text == model);
            }
        }
        match here.as_deref() {
            Some(allowed) if elsewhere && allowed.iter().all(|text| text != model) => match allowed {
                [only] => Chosen::Model(only.clone()),
                _ => Chosen::Unknown,
            },
            _ => Chosen::Nothing,
        }
    }

    /// Of a list of records with a model and who serves it those are asked that a branch lets through:
    /// `for (const m of MODELS) { if (m.provider === "groq") { groq.create({ model: m.name }) } }`.
    pub(crate) fn keep_to_branch(&self, at: ExprRef, identity: &mut Identity) {
        if identity.model.is_none() && identity.further.is_empty() {
            return;
        }
        let index = self.index(at.0);
        for stmt in enclosing(index, at.1) {
            let StmtKind::If { condition, .. } = &index.stmts[stmt as usize].stmt.kind else {
                continue;
            };
            let Some((record, key, wanted)) = compared_field(index, *condition) else {
                continue;
            };
            let records = self.records_of(at.0, index.expr_scope[condition.0 as usize], record);
            let of_key: Vec<(ExprRef, Option<String>)> = records
                .into_iter()
                .map(|record| (record, self.constant(&self.key(&Value::Literal(record), key))))
                .collect();
            // Where a record does not say it, nobody knows which are let through.
            if of_key.is_empty() || of_key.iter().any(|(_, text)| text.is_none()) {
                continue;
            }
            let (own, others): (Vec<_>, Vec<_>) = of_key.iter().partition(|(_, text)| text.as_deref() == Some(wanted));
            if own.is_empty() || others.is_empty() {
                continue;
            }
            let named: Vec<String> = identity.model.iter().chain(&identity.further).cloned().collect();
            let Some(field) = of_key.iter().find_map(|(record, _)| self.field_with(*record, &named)) else {
                continue;
            };
            let texts = |of: &[&(ExprRef, Option<String>)]| -> Vec<String> {
                of.iter()
                    .filter_map(|(record, _)| self.constant(&self.key(&Value::Literal(*record), field)))
                    .collect()
            };
            let mut own = texts(&own);
            own.dedup();
            let others = texts(&others);
            let strange = |name: &String| others.contains(name) && !own.contains(name);
            if identity.model.as_ref().is_some_and(strange)
                || identity.model.as_ref().is_some_and(|name| own.contains(name))
            {
                identity
                    .further
                    .retain(|name| !others.contains(name) && !own.contains(name));
                let mut own = own.into_iter();
                identity.model = own.next();
                identity.model_at = None;
                identity.further.extend(own);
            }
            return;
        }
    }

    /// The records that a name in a loop stands for one after another, where all are written out.
    fn records_of(&self, unit: u32, scope: u32, name: &str) -> Vec<ExprRef> {
        const RECORDS_MAX: usize = 64;
        let index = self.index(unit);
        let mut at = scope;
        while at != NONE {
            if let Some(bindings) = index.scopes[at as usize].names.get(name) {
                let [binding] = bindings.as_slice() else {
                    return Vec::new();
                };
                let BindSource::Each(over) = binding.source else {
                    return Vec::new();
                };
                let mut out = Vec::new();
                for list in self.eval(ExprRef(unit, over)).iter() {
                    let Value::Literal(list) = list else { return Vec::new() };
                    let Expr::List(parts) = self.expr(*list) else {
                        return Vec::new();
                    };
                    for part in parts.iter().take(RECORDS_MAX) {
                        let part = ExprRef(list.0, *part);
                        if !matches!(self.expr(part), Expr::Map(_)) {
                            return Vec::new();
                        }
                        out.push(part);
                    }
                }
                return out;
            }
            at = index.scopes[at as usize].parent;
        }
        Vec::new()
    }

    /// The key under which a record holds one of some names.
    fn field_with(&self, record: ExprRef, names: &[String]) -> Option<&str> {
        let Expr::Map(entries) = self.expr(record) else {
            return None;
        };
        let module = self.module(record.0);
        entries.iter().find_map(|entry| {
            let held = matches!(module.expr(entry.value), Expr::Str(text) if names.iter().any(|name| **name == **text));
            match module.expr(entry.key?) {
                Expr::Str(key) | Expr::Name(key) if held => Some(&**key),
                _ => None,
            }
        })
    }

    /// The variable that a call is given as its model, by name or by a key of an object.
    fn name_given(&self, at: ExprRef, keys: &[&str]) -> Option<&str> {
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        let module = self.module(at.0);
        let plain = |value: ExprId| match module.expr(value) {
            Expr::Name(name) => Some(&**name),
            _ => None,
        };
        let of_map = |value: ExprId| match module.expr(value) {
            Expr::Map(entries) => entries.iter().find_map(|entry| {
                let named =
                    matches!(module.expr(entry.key?), Expr::Str(key) | Expr::Name(key) if keys.contains(&&**key));
                if named { plain(entry.value) } else { None }
            }),
            _ => None,
        };
        args.iter().take(4).find_map(|arg| match arg.name.as_deref() {
            Some(key) if keys.contains(&key) => plain(arg.value),
            _ => of_map(arg.value),
        })
    }
}

/// Whether a method reads something by a key or a name, so that its first argument is never what it gives.
pub(crate) fn reads(name: &str) -> bool {
    ["get", "Get", "opt", "read", "find", "lookup", "fetch"]
        .iter()
        .any(|verb| {
            name.strip_prefix(verb)
                .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        })
        || matches!(
            name,
            "context" | "with_context" | "expect" | "option" | "config" | "setting"
        )
}

/// The conditions in whose first branch an expression stands.
fn enclosing(index: &Index<'_>, at: ExprId) -> Vec<u32> {
    let mut out = Vec::new();
    let mut stmt = index.expr_stmt[at.0 as usize];
    while stmt != NONE {
        let info = &index.stmts[stmt as usize];
        if matches!(info.role, Role::Then) && info.parent != NONE {
            out.push(info.parent);
        }
        stmt = info.parent;
    }
    out
}

/// The record, its field and the text of a condition that compares them: `m.provider === "groq"`.
fn compared_field<'m>(index: &Index<'m>, condition: ExprId) -> Option<(&'m str, &'m str, &'m str)> {
    let Expr::Test(parts) = index.module.expr(condition) else {
        return None;
    };
    let [one, other] = parts.as_slice() else { return None };
    let field = |at: ExprId| match index.module.expr(at) {
        Expr::Member { object, name } => match index.module.expr(*object) {
            Expr::Name(record) => Some((&**record, &**name)),
            _ => None,
        },
        Expr::Index { object, key } => match (index.module.expr(*object), index.module.expr(*key)) {
            (Expr::Name(record), Expr::Str(name)) => Some((&**record, &**name)),
            _ => None,
        },
        _ => None,
    };
    let text = |at: ExprId| match index.module.expr(at) {
        Expr::Str(text) => Some(&**text),
        _ => None,
    };
    let (record, key) = field(*one).or_else(|| field(*other))?;
    Some((record, key, text(*other).or_else(|| text(*one))?))
}

/// The texts that a condition compares a name to.
fn compared(index: &Index<'_>, condition: ExprId, name: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = vec![(condition, 0)];
    while let Some((at, depth)) = open.pop() {
        let (Expr::Test(parts) | Expr::Choice { values: parts, .. }) = index.module.expr(at) else {
            continue;
        };
        let names = parts
            .iter()
            .any(|part| matches!(index.module.expr(*part), Expr::Name(known) if **known == *name));
        for part in parts {
            match index.module.expr(*part) {
                Expr::Str(text) if names => out.push(text.to_string()),
                Expr::Test(_) | Expr::Choice { .. } if depth < 12 => open.push((*part, depth + 1)),
                _ => {}
            }
        }
    }
    out.sort();
    out
}
