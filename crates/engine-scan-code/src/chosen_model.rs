//! Models that are chosen at run time: out of settings with a default, or by branches that compare a name.

use engine_syntax::ir::{Expr, ExprId, StmtKind};

use crate::index::{Index, NONE, Role};
use crate::model_text::{is_model_name, is_preparation};
use crate::values::{ExprRef, Path, Seg};
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
fn reads(name: &str) -> bool {
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
