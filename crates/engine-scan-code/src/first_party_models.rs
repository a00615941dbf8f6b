//! In-house models behind an address: `requests.post(f"{API}/predict", json={"applicant_income": …})`.
//!
//! The address tells no service, so that the data has to tell what is asked: features of persons, as a record of one of the areas
//! of Annex III has them. Where the project answers at that address itself, the model is found there, and is none twice.

use std::collections::BTreeSet;

use engine_syntax::ir::{Expr, ExprId};

use crate::arguments::Site;
use crate::identity::{Identity, host_name, is_loopback};
use crate::shapes::Match;
use crate::values::{ExprRef, Part, Value, id, render};
use crate::world::World;

/// Objects inside objects are read down to this depth.
const DEPTH_MAX: u32 = 3;

/// The last part of a path under which a model is asked for a prediction.
fn predicts(address: &str) -> Option<&str> {
    let path = address
        .split(['?', '#'])
        .next()
        .unwrap_or(address)
        .trim_end_matches('/');
    let at = path.rfind('/')?;
    let last = &path[at + 1..];
    let named = ["predict", "predict_proba", "predictions", "prediction"].contains(&last)
        || last.starts_with("predict_")
        || last.starts_with("predict-");
    named.then(|| &path[at..])
}

impl World<'_> {
    /// A request that hands the features of a person to an address for predictions which the project does not answer itself.
    pub(crate) fn asks_own_model(&self, site: &Site<'_>, hit: Match, addresses: &[Vec<Part>]) -> Option<Identity> {
        if matches!(site.path.last_name(), Some("get" | "Get" | "GetAsync" | "delete")) {
            return None;
        }
        let (text, route) = addresses.iter().find_map(|parts| {
            let text = render(parts);
            let route = predicts(&text)?.to_owned();
            Some((text, route))
        })?;
        let mut keys = BTreeSet::new();
        for reference in &hit.shape.body {
            for value in self.refer(site, reference) {
                self.keys_in(&value, 0, &mut keys);
            }
        }
        let host = host_name(&text);
        if !crate::people::is_of_a_person(&keys) || self.answers_at(&route, is_loopback(&host)) {
            return None;
        }
        Some(Identity {
            host: (!host.is_empty() && !host.contains("{}") && text.contains("://")).then_some(host),
            address: text.contains("://").then_some(text),
            ..Identity::default()
        })
    }

    /// The keys of a body, and of the objects in it.
    fn keys_in(&self, value: &Value, depth: u32, into: &mut BTreeSet<String>) {
        if depth > DEPTH_MAX {
            return;
        }
        match value {
            Value::Literal(at) => match self.expr(*at) {
                Expr::Map(entries) => {
                    for entry in entries {
                        if let Some(key) = entry.key
                            && let Some(key) = self.key_text(ExprRef(at.0, key))
                        {
                            into.insert(crate::people::plain(&key));
                        }
                        for inner in self.eval(ExprRef(at.0, entry.value)).iter() {
                            if matches!(inner, Value::Literal(_)) {
                                self.keys_in(inner, depth + 1, into);
                            }
                        }
                    }
                }
                Expr::List(parts) => {
                    for part in parts.iter().take(2) {
                        for inner in self.eval(ExprRef(at.0, *part)).iter() {
                            self.keys_in(inner, depth + 1, into);
                        }
                    }
                }
                _ => {}
            },
            // `JSON.stringify({...})`
            Value::Path(path) => {
                for call in path.calls().take(2) {
                    if let Expr::Call { args, .. } = self.expr(call) {
                        for arg in args.iter().take(2) {
                            for inner in self.expand(&self.eval(ExprRef(call.0, arg.value))) {
                                if inner != *value {
                                    self.keys_in(&inner, depth + 1, into);
                                }
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the project answers at such a route itself: code names its end as whoever answers there does, or the own machine is
    /// asked and a function is named for predictions.
    fn answers_at(&self, route: &str, own_machine: bool) -> bool {
        let last = route.trim_matches('/');
        let is_route = |text: &str| {
            let text = text.trim_matches('/');
            !text.contains("://")
                && text
                    .strip_suffix(last)
                    .is_some_and(|head| head.is_empty() || head.ends_with('/'))
        };
        (0..id(self.units.len())).any(|unit| {
            let module = self.index(unit).module;
            let names = |at: ExprId| {
                matches!(module.expr(at), Expr::Call { args, .. }
                    if args.iter().take(2).any(|arg| matches!(module.expr(arg.value), Expr::Str(text) if is_route(text))))
            };
            let foretells = || {
                module
                    .functions
                    .iter()
                    .any(|function| function.name.as_deref().is_some_and(|name| name.starts_with("predict")))
            };
            self.index(unit).calls.iter().copied().any(names)
                || module.functions.iter().flat_map(|function| &function.decorators).copied().any(names)
                || own_machine && foretells()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::predicts;

    #[test]
    fn an_address_for_predictions_is_told_by_its_last_part() {
        for address in [
            "{}/predict",
            "http://scoring:8000/api/predict/",
            "https://a.example/predict_loan?v=2",
        ] {
            assert!(predicts(address).is_some(), "{address}");
        }
        for address in [
            "https://a.example/predictor",
            "/predict/list",
            "predict",
            "https://a.example/api/orders",
        ] {
            assert!(predicts(address).is_none(), "{address}");
        }
    }
}
