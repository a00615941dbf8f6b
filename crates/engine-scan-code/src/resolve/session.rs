//! What a page written in Python keeps for the session of its reader, and takes out of it by name: `st.session_state.chain`,
//! `cl.user_session.get("chain")`.

use engine_syntax::ir::{Expr, ExprId, Module, Pattern, StmtKind};
use rustc_hash::FxHashMap as HashMap;

use super::{is_made, merge};
use crate::project::is_python;
use crate::values::{ExprRef, Path, Root, Seg, Value};
use crate::world::World;

/// Stores of one session: the library and the name under which it hands out the store.
const STORES: [(&str, &str); 2] = [("streamlit", "session_state"), ("chainlit", "user_session")];

/// Values of one name that are looked at.
const SAME_NAME_MAX: usize = 6;

impl World<'_> {
    /// Whether a path is such a store.
    fn is_session(path: &Path) -> bool {
        let [Seg::Name(library), .., Seg::Name(store)] = path.segs.as_slice() else {
            return false;
        };
        path.root == Root::Import
            && path.segs.len() == 2
            && STORES.iter().any(|(of, name)| **library == **of && **store == **name)
    }

    /// What is kept under a name in the store that a path is: clients, objects of the project and texts.
    pub(super) fn session_entry(&self, path: &Path, name: &str) -> Option<Vec<Value>> {
        if !Self::is_session(path) {
            return None;
        }
        let kept = self.in_session.get_or_init(|| self.find_in_session());
        let mut out = Vec::new();
        for at in kept.get(name).into_iter().flatten().take(SAME_NAME_MAX) {
            for value in self.eval(*at).iter() {
                if is_made(value) || matches!(value, Value::Text(_)) {
                    merge(&mut out, std::slice::from_ref(value));
                }
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// Where something is put under a name into the store that an expression is.
    pub(crate) fn put_into_session(&self, store: ExprRef, name: &str) -> Vec<ExprRef> {
        if !is_python(self.unit(store.0).language) || !names_store(self.module(store.0), store.1) {
            return Vec::new();
        }
        let kept = self.in_session.get_or_init(|| self.find_in_session());
        kept.get(name)
            .into_iter()
            .flatten()
            .take(SAME_NAME_MAX)
            .copied()
            .collect()
    }

    /// The same for a call that asks the store: `st.session_state.get("chain")`.
    pub(super) fn session_get(&self, path: &Path, at: ExprRef) -> Option<Vec<Value>> {
        let (Seg::Name(method), store) = path.segs.split_last()? else {
            return None;
        };
        if store.len() != 2 || !matches!(&**method, "get" | "setdefault") {
            return None;
        }
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        let Expr::Str(key) = self.expr(ExprRef(at.0, args.first()?.value)) else {
            return None;
        };
        let store = Path {
            root: path.root,
            segs: store.to_vec(),
        };
        self.session_entry(&store, key)
    }

    /// What files put into stores of sessions, by name, in the order of the files.
    fn find_in_session(&self) -> HashMap<Box<str>, Vec<ExprRef>> {
        let mut out: HashMap<Box<str>, Vec<ExprRef>> = HashMap::default();
        let mut keep = |key: &str, at: ExprRef| out.entry(key.into()).or_default().push(at);
        for (unit, other) in (0..).zip(&self.units) {
            if !is_python(other.language) {
                continue;
            }
            let index = &other.index;
            let module = index.module;
            for info in &index.stmts {
                let StmtKind::Assign {
                    target: Pattern::Place(place),
                    value: Some(value),
                    ..
                } = &info.stmt.kind
                else {
                    continue;
                };
                match module.expr(*place) {
                    Expr::Member { object, name } if names_store(module, *object) => keep(name, ExprRef(unit, *value)),
                    Expr::Index { object, key } if names_store(module, *object) => {
                        if let Expr::Str(key) = module.expr(*key) {
                            keep(key, ExprRef(unit, *value));
                        }
                    }
                    _ => {}
                }
            }
            for call in &index.calls {
                if let Expr::Call { callee, args, .. } = module.expr(*call)
                    && let [key, value] = args.as_slice()
                    && let Expr::Member { object, name } = module.expr(*callee)
                    && matches!(&**name, "set" | "setdefault")
                    && names_store(module, *object)
                    && let Expr::Str(key) = module.expr(key.value)
                {
                    keep(key, ExprRef(unit, value.value));
                }
            }
        }
        out
    }
}

/// Whether an expression is named like a store of a session: `st.session_state`, `session_state`.
fn names_store(module: &Module, at: ExprId) -> bool {
    matches!(module.expr(at), Expr::Member { name, .. } | Expr::Name(name) if STORES.iter().any(|(_, store)| **name == **store))
}
