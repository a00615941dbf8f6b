//! Requests to model services without a library: the address and the body decide.

use engine_catalogue::{HostKind, catalogue};
use engine_syntax::ir::Expr;

use crate::arguments::{Site, joined};
use crate::identity::{Identity, host_name, host_provider, is_loopback};
use crate::shapes::{Family, Match};
use crate::values::{ExprRef, Part, Value, render};
use crate::world::World;

impl World<'_> {
    /// Who answers a request, if its address belongs to a model service.
    pub(crate) fn request(&self, site: &Site<'_>, hit: Match) -> Option<Identity> {
        let family = Family::of(self.unit(site.at.0).language)?;
        if family == Family::Shell {
            return self.command(site);
        }
        let mut address: Option<Vec<Part>> = None;
        for reference in &hit.shape.url {
            if let Some(parts) = self.text(&self.refer(site, reference)) {
                address = Some(parts);
                break;
            }
        }
        let mut address = address?;
        for reference in &hit.shape.base {
            let values = if let Some(field) = reference.strip_prefix("field:") {
                self.set_on_object(site.at, field)
            } else {
                self.refer(site, reference)
            };
            if let Some(base) = self.text(&values) {
                address = joined(&base, &address);
                break;
            }
        }
        let bodies: Vec<Value> = hit
            .shape
            .body
            .iter()
            .flat_map(|reference| self.refer(site, reference))
            .collect();
        let mut out = judge(
            &render(&address),
            &address,
            || self.body_model(&bodies),
            || self.has_prompt(&bodies),
        )?;
        if out.model.is_none() {
            out.model = self.body_model(&bodies);
        }
        Some(out)
    }

    /// Values that a function sets on a field of some object, as `client.BaseAddress = new Uri("…")`.
    fn set_on_object(&self, at: ExprRef, field: &str) -> Vec<Value> {
        let index = self.index(at.0);
        let mut out = Vec::new();
        for stmt in &index.stmts {
            if let engine_syntax::ir::StmtKind::Assign {
                target: engine_syntax::ir::Pattern::Place(place),
                value: Some(value),
                ..
            } = &stmt.stmt.kind
                && let Expr::Member { name, .. } = index.module.expr(*place)
                && **name == *field
            {
                out.extend(self.eval(ExprRef(at.0, *value)).iter().cloned());
            }
        }
        for call in &index.calls {
            if let Expr::Call { args, .. } = index.module.expr(*call) {
                for arg in args.iter().filter(|arg| arg.name.as_deref() == Some(field)) {
                    out.extend(self.eval(ExprRef(at.0, arg.value)).iter().cloned());
                }
            }
        }
        for expr in &index.module.exprs {
            if let Expr::Map(entries) = &expr.kind {
                for entry in entries {
                    if let Some(key) = entry.key
                        && matches!(index.module.expr(key), Expr::Str(name) | Expr::Name(name) if **name == *field)
                    {
                        out.extend(self.eval(ExprRef(at.0, entry.value)).iter().cloned());
                    }
                }
            }
        }
        out
    }

    /// The model that the body of a request names.
    fn body_model(&self, bodies: &[Value]) -> Option<String> {
        for body in bodies {
            for key in ["model", "Model", "model_id", "modelId"] {
                if let Some(model) = self.constant(&self.key(body, key)) {
                    return Some(model);
                }
            }
            if let Some(parts) = self.text(std::slice::from_ref(body))
                && let Some(model) = model_in_json(&render(&parts))
            {
                return Some(model);
            }
            if let Value::Path(path) = body {
                for call in path.calls().take(3) {
                    if let Expr::Call { args, .. } = self.expr(call) {
                        for arg in args.iter().take(4) {
                            let values = self.eval(ExprRef(call.0, arg.value));
                            if values
                                .iter()
                                .all(|value| matches!(value, Value::Literal(_) | Value::Text(_)))
                                && let Some(model) = self.body_model(&values)
                            {
                                return Some(model);
                            }
                        }
                    }
                }
            }
        }
        None
    }

    /// Whether the body of a request carries a prompt.
    fn has_prompt(&self, bodies: &[Value]) -> bool {
        bodies.iter().any(|body| {
            ["messages", "prompt", "input", "inputs", "contents", "system"]
                .iter()
                .any(|key| matches!(body, Value::Literal(_)) && !self.key(body, key).is_empty())
                || self.text(std::slice::from_ref(body)).is_some_and(|parts| {
                    ["\"messages\"", "\"prompt\"", "\"inputs\"", "\"contents\""]
                        .iter()
                        .any(|key| render(&parts).contains(key))
                })
        })
    }

    /// A command of a shell script: any argument may be the address, any may be the body.
    fn command(&self, site: &Site<'_>) -> Option<Identity> {
        let Expr::Call { args, .. } = self.expr(site.at) else {
            return None;
        };
        let texts: Vec<(Vec<Part>, String)> = args
            .iter()
            .filter_map(|arg| {
                let values = self.eval(ExprRef(site.at.0, arg.value));
                self.text(&values).map(|parts| {
                    let text = render(&parts);
                    (parts, text)
                })
            })
            .collect();
        let body = texts
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        for (parts, text) in &texts {
            let looks = text.contains("://")
                || text.starts_with("{}/")
                || text.starts_with("localhost")
                || text.contains(".com/")
                || text.contains("/v1/");
            if looks && !text.starts_with('{') || text.starts_with("{}/") {
                let found = judge(
                    text,
                    parts,
                    || model_in_json(&body),
                    || body.contains("\"messages\"") || body.contains("\"prompt\""),
                );
                if let Some(mut found) = found {
                    if found.model.is_none() {
                        found.model = model_in_json(&body);
                    }
                    return Some(found);
                }
            }
        }
        None
    }
}

/// Who answers at an address, if it is one of a model service.
fn judge(url: &str, parts: &[Part], model: impl Fn() -> Option<String>, prompt: impl Fn() -> bool) -> Option<Identity> {
    let target = catalogue().request(url)?;
    let weak_proof = || model().is_some() || prompt();
    let known_host = target.host.is_some_and(|host| host.kind != HostKind::Telemetry);
    let served = target.shape.is_some() || (known_host && !is_listing(url));
    if !(target.model_call || served && weak_proof()) {
        return None;
    }
    let name = host_name(url);
    let deployment = segment_after(url, "deployments");
    let mut provider = target.provider.to_owned();
    if target.host.is_none() {
        if deployment.is_some() && url.contains("/openai/deployments/") {
            "azure-openai".clone_into(&mut provider);
        } else if is_loopback(&name) && provider == "openai-compatible" {
            "local".clone_into(&mut provider);
        } else if let Some((Some(found), _)) = host_provider(url, parts)
            && found != "local"
        {
            provider = found;
        }
    }
    let in_path = deployment
        .or_else(|| {
            segment_after(url, "models")
                .map(|name| name.split(':').next().unwrap_or(&name).to_owned())
                .filter(|name| {
                    provider == "huggingface" || provider.starts_with("google") || catalogue().model(name).is_some()
                })
        })
        .or_else(|| segment_after(url, "model").filter(|_| provider == "aws-bedrock"));
    Some(Identity {
        provider: Some(provider),
        model: in_path.filter(|model| !model.contains("{}")),
        host: (!name.is_empty() && !name.contains("{}") && !url.starts_with('/')).then_some(name),
        assumed: false,
    })
}

/// Whether an address lists or manages instead of asking a model.
fn is_listing(url: &str) -> bool {
    [
        "/models",
        "/files",
        "/usage",
        "/billing",
        "/api/tags",
        "/health",
        "/status",
        "/login",
        "/oauth",
    ]
    .iter()
    .any(|end| url.trim_end_matches('/').ends_with(end))
}

/// The segments of a path behind one with a name; models of a hub have two.
fn segment_after(url: &str, name: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let mut segments = path.split('/');
    segments.by_ref().find(|segment| *segment == name)?;
    let first = segments.next().filter(|segment| !segment.is_empty())?;
    if name == "models"
        && path.contains("huggingface")
        && let Some(second) = segments.next()
        && second != "v1"
    {
        return Some(format!("{first}/{second}"));
    }
    Some(first.to_owned())
}

/// The value of `"model"` in a JSON text.
pub(crate) fn model_in_json(text: &str) -> Option<String> {
    for quote in ["\"model\"", "\\\"model\\\"", "'model'", "model=", "model:"] {
        let Some(at) = text.find(quote) else { continue };
        let rest = text[at + quote.len()..].trim_start_matches([' ', ':', '\\', '"', '\'', '\n', '\t']);
        let end = rest.find(['"', '\\', '\'', ',', '}', ' ', '&']).unwrap_or(rest.len());
        let name = &rest[..end];
        if !name.is_empty() && !name.contains(['{', '$']) {
            return Some(name.to_owned());
        }
    }
    None
}
