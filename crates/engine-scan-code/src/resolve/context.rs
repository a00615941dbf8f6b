//! Clients that a program puts into the context of its requests, and that handlers take out of it by name.

use engine_syntax::ir::{Expr, Pattern, StmtKind};
use rustc_hash::FxHashMap as HashMap;

use super::{is_made, merge};
use crate::project::{is_python, is_script};
use crate::values::{ExprRef, Path, Seg, Value};
use crate::world::World;

/// Members under which frameworks keep what a whole request, or a whole program, shares.
pub(crate) const BAGS: [&str; 4] = ["locals", "state", "context", "var"];

/// Methods that put something under a name that stands first: Hono, Express, Fastify.
pub(crate) const PUTS: [&str; 3] = ["set", "decorate", "decorateRequest"];

/// Things of one name that are looked at.
const SAME_NAME_MAX: usize = 6;

impl World<'_> {
    /// What a path reaches that begins at a request: `event.locals.client.ask`, `c.get("client").ask`.
    pub(super) fn out_of_context(&self, path: &Path) -> Vec<Value> {
        let mut out = Vec::new();
        for (at, seg) in path.segs.iter().enumerate() {
            let Seg::Name(name) = seg else { continue };
            let (field, rest) = match path.segs.get(at + 1) {
                Some(Seg::Name(field)) if BAGS.contains(&&**name) => (field.to_string(), at + 2),
                Some(Seg::Call(call)) if &**name == "get" => {
                    let Expr::Call { args, .. } = self.expr(*call) else {
                        continue;
                    };
                    let Some(key) = args
                        .first()
                        .and_then(|arg| match self.expr(ExprRef(call.0, arg.value)) {
                            Expr::Str(key) => Some(key.to_string()),
                            _ => None,
                        })
                    else {
                        continue;
                    };
                    (key, at + 2)
                }
                _ => continue,
            };
            for value in self.kept_in_context(&field) {
                merge(&mut out, &self.replay(&value, &path.segs[rest..]));
            }
            break;
        }
        out
    }

    /// Clients and objects of the project that are kept under a name in a context.
    fn kept_in_context(&self, name: &str) -> Vec<Value> {
        let kept = self.kept.get_or_init(|| self.find_kept());
        let mut out = Vec::new();
        for at in kept.get(name).into_iter().flatten().take(SAME_NAME_MAX) {
            for value in self.eval(*at).iter().filter(|value| is_made(value)) {
                merge(&mut out, std::slice::from_ref(value));
            }
        }
        out
    }

    /// What is put into contexts, by name, in the order of the files.
    fn find_kept(&self) -> HashMap<Box<str>, Vec<ExprRef>> {
        let mut out: HashMap<Box<str>, Vec<ExprRef>> = HashMap::default();
        for (unit, other) in (0..).zip(&self.units) {
            if !is_script(other.language) && !is_python(other.language) {
                continue;
            }
            let index = &other.index;
            for info in &index.stmts {
                if let StmtKind::Assign {
                    target: Pattern::Place(place),
                    value: Some(value),
                    ..
                } = &info.stmt.kind
                    && let Expr::Member { object, name } = index.module.expr(*place)
                    && matches!(index.module.expr(*object), Expr::Member { name, .. } | Expr::Name(name) if BAGS.contains(&&**name))
                {
                    out.entry(name.as_str().into()).or_default().push(ExprRef(unit, *value));
                }
            }
            for call in &index.calls {
                if let Expr::Call { callee, args, .. } = index.module.expr(*call)
                    && let [key, value] = args.as_slice()
                    && let Expr::Member { name, .. } = index.module.expr(*callee)
                    && PUTS.contains(&&**name)
                    && let Expr::Str(key) = index.module.expr(key.value)
                {
                    out.entry(key.as_str().into())
                        .or_default()
                        .push(ExprRef(unit, value.value));
                }
            }
        }
        out
    }
}
