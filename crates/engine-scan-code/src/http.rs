//! Requests to model services without a library: the address and the body decide.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use engine_catalogue::{HostKind, catalogue};
use engine_syntax::ir::Expr;

use crate::addresses::{Proof, judge, model_in_json};
use crate::arguments::{Site, joined};
use crate::identity::{Context, Identity, host_name, host_provider, is_loopback};
use crate::model_text::is_field_name;
use crate::shapes::{Family, Match};
use crate::values::{ExprRef, FunctionRef, Part, Path, Root, Seg, Value, render};
use crate::world::World;

/// Names of what sends a request in scripts, whatever they are bound to.
const FETCHES: [&str; 4] = ["fetch", "fetchImpl", "fetchFn", "_fetch"];

/// Words of one command that are looked at.
const WORDS_MAX: usize = 400;

/// Who answers a request to a whole address.
fn judge_whole(world: &World<'_>, site: &Site<'_>, hit: Match, address: &[Part]) -> Option<Identity> {
    // A list of what was completed is got; a model is asked for a completion with a body.
    let got = matches!(
        site.path.last_name(),
        Some("get" | "getForObject" | "getForEntity" | "GetAsync" | "GetStringAsync" | "GetFromJsonAsync" | "Get")
    );
    if got && render(address).trim_end_matches('/').ends_with("completions") {
        return None;
    }
    // Whoever asks again and again how far a job has come asks no model.
    if (got || is_got(site.path)) && asks_of_a_job(&render(address)) {
        return None;
    }
    if is_of_an_answer(&render(address)) {
        return None;
    }
    let bodies: Vec<Value> = hit
        .shape
        .body
        .iter()
        .flat_map(|reference| world.refer(site, reference))
        .collect();
    let mut out = judge(
        &render(address),
        address,
        || world.body_model(&bodies),
        || world.has_prompt(&bodies),
        |proof| match proof {
            Proof::Header(header) => world.has_header(site.at, header),
            Proof::Conversation => world.converses(&bodies),
            Proof::Readable => bodies.iter().any(|body| matches!(body, Value::Literal(_))),
            Proof::Streamed => world.asks_for_pieces(&bodies),
            Proof::Lacks(keys) => world.lacks_all(&bodies, keys),
            Proof::Named(name) => world.named_around(site.at, name),
        },
    )?;
    if out.model.is_none() {
        out.model = world.body_model(&bodies).or_else(|| world.model_of_form(site.at));
        for body in &bodies {
            for parts in ["model", "Model"]
                .iter()
                .flat_map(|key| world.texts(&world.expand(&world.key(body, key))))
            {
                let text = render(&parts);
                if crate::identity::is_other_model(&out, &text) {
                    out.further.push(text);
                }
            }
        }
    }
    Some(out)
}

/// Methods that write an object out as the text of a body.
const WRITES: [&str; 4] = ["writeValueAsString", "writeValueAsBytes", "toJson", "encodeToString"];

/// Such methods within one another.
const WRITTEN_MAX: u32 = 3;

/// Methods that put a field into a form or a map: `form.text("model", "whisper-1")`, `body.put("model", name)`.
const FILLS: [&str; 11] = [
    "text",
    "WriteField",
    "addFormDataPart",
    "append",
    "add_field",
    "field",
    "put",
    "set",
    "Add",
    "add",
    "addProperty",
];

/// Those of them that only a form has.
const FORMS: [&str; 6] = ["text", "WriteField", "addFormDataPart", "append", "add_field", "field"];

/// Whether a request that is built in steps only gets something: `client.get(url).header(…).send()`.
fn is_got(path: &Path) -> bool {
    let mut names = path.segs.iter().filter_map(|seg| match seg {
        Seg::Name(name) => Some(&**name),
        _ => None,
    });
    let verb = names.find(|name| matches!(*name, "get" | "post" | "put" | "patch" | "request"));
    verb == Some("get")
}

/// Things that a service works on for a while, and that are asked for by their number.
const JOBS: [&str; 16] = [
    "call",
    "calls",
    "transcript",
    "transcripts",
    "predictions",
    "operations",
    "runs",
    "jobs",
    "job",
    "status",
    "tasks",
    "task",
    "batches",
    "requests",
    "videos",
    "generations",
];

/// Whether an address ends in the number of a job: `/v2/transcript/{}`.
fn asks_of_a_job(address: &str) -> bool {
    let path = address
        .split(['?', '#'])
        .next()
        .unwrap_or(address)
        .trim_end_matches('/');
    let mut parts = path.rsplit('/');
    let numbered = parts.next() == Some("{}");
    numbered && parts.next().is_some_and(|of| JOBS.contains(&of))
}

/// Whether an address is that of an answer which was given before, to look at, to stop or to forget it: `/v1/responses/{}/cancel`.
fn is_of_an_answer(address: &str) -> bool {
    address
        .split_once("api.openai.com/v1/responses/")
        .is_some_and(|(_, rest)| rest.starts_with("{}"))
}

/// Providers from which on a request belongs to none of them.
const MANY_MIN: usize = 3;

/// Addresses of one request that are looked at.
const ADDRESSES_MAX: usize = 8;

/// Who answers where a request may go to several: the first that is not a server on the own machine, else the first. One
/// function that asks many is theirs all.
fn one_of(found: Vec<Identity>) -> Option<Identity> {
    let rank = |identity: &Identity| match identity.host.as_deref() {
        Some(host) if is_loopback(host) => 2,
        Some(host) if catalogue().host(host).is_none() => 1,
        _ => 0,
    };
    let at = (0..found.len()).min_by_key(|at| rank(&found[*at]))?;
    let many: BTreeSet<Option<&str>> = found
        .iter()
        .filter(|identity| rank(identity) == 0 && identity.host.is_some())
        .map(|identity| identity.provider.as_deref())
        .collect();
    let several = many.len() >= MANY_MIN;
    // A branch may choose among the models of one service.
    let others: Vec<String> = found
        .iter()
        .enumerate()
        .filter(|(which, other)| *which != at && other.provider == found[at].provider)
        .filter_map(|(_, other)| other.model.clone())
        .filter(|model| Some(model) != found[at].model.as_ref())
        .collect();
    found.into_iter().nth(at).map(|mut first| {
        for model in others {
            if !first.further.contains(&model) {
                first.further.push(model);
            }
        }
        if several {
            Identity {
                provider: Some("openai-compatible".to_owned()),
                host: None,
                ..first
            }
        } else {
            first
        }
    })
}

impl World<'_> {
    /// Who answers a request, if its address belongs to a model service.
    pub(crate) fn request(&self, site: &Site<'_>, hit: Match) -> Option<Identity> {
        let family = Family::of(self.unit(site.at.0).language)?;
        if family == Family::Shell || crate::commands::is_command(site.path) {
            return self.command(site);
        }
        if hit.shape.url.iter().any(|reference| reference == "near") {
            return self.request_built_elsewhere(site);
        }
        let addresses = self.addresses(site, hit);
        let mut found: Vec<Identity> = Vec::new();
        for address in &addresses {
            found.extend(judge_whole(self, site, hit, address));
        }
        one_of(found)
            .or_else(|| self.asks_by_its_body(site, hit, &addresses))
            .or_else(|| {
                let whole = self.asks_by_its_sample(&addresses)?;
                judge_whole(self, site, hit, &whole)
            })
            .or_else(|| self.asks_by_its_setting(site, hit, &addresses))
            .or_else(|| self.asks_a_flow(site, hit, &addresses))
            .or_else(|| self.asks_own_model(site, hit, &addresses))
    }

    /// A request by a function that is called like the one of the platform, where the address is written out and belongs to a model
    /// service: a parameter or a function of the project of that name sends it on.
    pub(crate) fn fetched(&self, at: ExprRef, callee: ExprRef, context: &Context<'_>) -> Option<(Path, Identity)> {
        if !crate::project::is_script(self.unit(at.0).language) {
            return None;
        }
        let (Expr::Name(name) | Expr::Member { name, .. }) = self.expr(callee) else {
            return None;
        };
        if !FETCHES.contains(&&**name) {
            return None;
        }
        let path = Path {
            root: Root::Global,
            segs: vec![Seg::Name("fetch".into())],
        };
        let hit = self.shape(at.0, &path, context)?;
        let site = Site { at, path: &path };
        let Expr::Call { args, .. } = self.expr(at) else {
            return None;
        };
        // What a caller hands in is asked for there.
        let written = args.first().map(|arg| self.eval(ExprRef(at.0, arg.value)))?;
        let addressed = written.iter().any(|value| {
            let Value::Text(parts) = value else { return false };
            let text = render(parts);
            text.starts_with("https://")
                && catalogue()
                    .host(&host_name(&text))
                    .is_some_and(|host| host.kind != HostKind::Local && host.kind != HostKind::Telemetry)
        });
        let identity = addressed.then(|| self.request(&site, hit)).flatten()?;
        Some((path, identity))
    }

    /// The addresses that a request may go to, the likeliest first.
    pub(crate) fn addresses(&self, site: &Site<'_>, hit: Match) -> Vec<Vec<Part>> {
        let mut addresses: Vec<Vec<Part>> = Vec::new();
        for reference in &hit.shape.url {
            let mut texts = self.texts(&self.refer(site, reference));
            texts.retain(|parts| !matches!(render(parts).as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE"));
            // The method may stand where others take the address.
            let looking: Vec<Vec<Part>> = texts
                .iter()
                .filter(|parts| render(parts).contains(['/', ':', '.']))
                .cloned()
                .collect();
            if !looking.is_empty() {
                addresses = looking;
                break;
            }
            if addresses.is_empty() {
                addresses = texts;
            }
        }
        let set = self.paths_set_on(site);
        if !set.is_empty() {
            if addresses.is_empty() {
                addresses.push(vec![Part::Unknown]);
            }
            let whole = addresses
                .iter()
                .flat_map(|base| set.iter().map(move |path| joined(base, path)));
            addresses = whole.take(ADDRESSES_MAX).collect();
        }
        // A client may be made for the whole address, and then the request names none.
        let empty = addresses.iter().all(|parts| render(parts).is_empty());
        if empty {
            let bases = hit
                .shape
                .base
                .iter()
                .filter(|reference| !reference.contains(':') || !addresses.is_empty());
            let whole = bases
                .filter_map(|reference| match reference.strip_prefix("field:") {
                    Some(field) => self.text(&self.set_on_object(site.at, field)),
                    None => self.text(&self.refer(site, reference)),
                })
                .find(|parts| {
                    render(parts)
                        .split_once("://")
                        .is_some_and(|(_, rest)| rest.trim_end_matches('/').contains('/'))
                });
            return whole.into_iter().collect();
        }
        for reference in &hit.shape.base {
            let values = if let Some(field) = reference.strip_prefix("field:") {
                let own = self.set_on_object(site.at, field).to_vec();
                if own.is_empty() && !addresses.iter().any(|address| render(address).contains("://")) {
                    self.set_for_typed_clients(site.at, field)
                } else {
                    own
                }
            } else {
                self.refer(site, reference)
            };
            let bases = self.texts(&values);
            if !bases.is_empty() {
                let mut whole: Vec<Vec<Part>> = Vec::new();
                for base in &bases {
                    for address in &addresses {
                        let address = joined(base, address);
                        if whole.len() < ADDRESSES_MAX && !whole.contains(&address) {
                            whole.push(address);
                        }
                    }
                }
                return whole;
            }
        }
        addresses
    }

    /// What is put as the path into an object that is the address of a request: `const url = new URL(base); url.pathname += path`.
    pub(crate) fn paths_set_on(&self, site: &Site<'_>) -> Vec<Vec<Part>> {
        let index = self.index(site.at.0);
        let Expr::Call { args, .. } = self.expr(site.at) else {
            return Vec::new();
        };
        if !crate::project::is_script(self.unit(site.at.0).language) {
            return Vec::new();
        }
        let mut given = Vec::new();
        for arg in args.iter().take(2) {
            match index.module.expr(arg.value) {
                Expr::Name(_) => given.push(arg.value),
                Expr::Map(entries) => given.extend(entries.iter().filter_map(|entry| {
                    let named =
                        matches!(index.module.expr(entry.key?), Expr::Str(key) | Expr::Name(key) if &**key == "url");
                    named.then_some(entry.value)
                })),
                _ => {}
            }
        }
        let mut out = Vec::new();
        for at in given {
            let Expr::Name(name) = index.module.expr(at) else {
                continue;
            };
            let made = self
                .eval(ExprRef(site.at.0, at))
                .iter()
                .any(|value| matches!(value, Value::Path(path) if path.last_name() == Some("URL")));
            if !made {
                continue;
            }
            let function = index.function_of(site.at.1);
            for info in &index.stmts {
                if let engine_syntax::ir::StmtKind::Assign {
                    target: engine_syntax::ir::Pattern::Place(place),
                    value: Some(value),
                    ..
                } = &info.stmt.kind
                    && let Expr::Member { object, name: field } = index.module.expr(*place)
                    && &**field == "pathname"
                    && matches!(index.module.expr(*object), Expr::Name(of) if of == name)
                    && index.function_of(*value) == function
                {
                    out.extend(self.texts(&self.eval(ExprRef(site.at.0, *value))));
                }
            }
        }
        out
    }

    /// A request that is handed in ready to be sent: the addresses of its file, else of its callers' files, tell who answers.
    fn request_built_elsewhere(&self, site: &Site<'_>) -> Option<Identity> {
        let callers = self
            .function_of(site.at)
            .map(|function| self.callers_of(function))
            .unwrap_or_default();
        let mut units = vec![site.at.0];
        for caller in callers.iter().take(16) {
            if !units.contains(&caller.0) {
                units.push(caller.0);
            }
        }
        let (own, others) = units.split_first()?;
        let found = self.addressed(*own);
        if found.is_some() {
            return found;
        }
        let mut providers: Vec<Identity> = others.iter().filter_map(|unit| self.addressed(*unit)).collect();
        let first = providers.pop()?;
        let same = providers.iter().all(|other| other.provider == first.provider);
        Some(if same {
            first
        } else {
            Identity {
                provider: Some("openai-compatible".to_owned()),
                ..Identity::default()
            }
        })
    }

    /// Who answers at the addresses that a file puts together, if one of them asks a model.
    fn addressed(&self, unit: u32) -> Option<Identity> {
        self.known_or(&self.known.addressed, unit, || self.addressed_now(unit))
    }

    fn addressed_now(&self, unit: u32) -> Option<Identity> {
        let index = self.index(unit);
        let mut asked: Option<Identity> = None;
        let mut hosts: Vec<(String, Option<String>)> = Vec::new();
        for (at, expr) in index.module.exprs.iter().enumerate() {
            if index.expr_scope[at] == crate::index::NONE {
                continue;
            }
            let parts = match &expr.kind {
                Expr::Str(text) if text.contains('/') => vec![Part::Known((&**text).into())],
                Expr::Template(parts) => match self.template(unit, parts) {
                    Value::Text(parts) => parts.to_vec(),
                    _ => continue,
                },
                _ => continue,
            };
            let text = render(&parts);
            if text.len() > 300 || text.contains(char::is_whitespace) {
                continue;
            }
            if let Some((Some(provider), host)) = host_provider(&text, &parts) {
                hosts.push((provider, host));
            }
            if asked.is_none() {
                asked = judge(&text, &parts, || None, || false, |_| false);
            }
        }
        hosts.sort();
        hosts.dedup_by(|a, b| a.0 == b.0);
        if asked.is_none() && hosts.len() == 1 {
            asked = Some(Identity::default());
        }
        let mut asked = asked?;
        if let [(provider, host)] = hosts.as_slice() {
            asked.provider = Some(provider.clone());
            asked.host.clone_from(host);
        }
        Some(asked)
    }

    /// Values that a function sets on a field of some object, as `client.BaseAddress = new Uri("…")`.
    ///
    /// They are looked for once in each file: a file with many calls would otherwise be gone through for each of them.
    pub(crate) fn set_on_object(&self, at: ExprRef, field: &str) -> Rc<[Value]> {
        let key = (at.0, Box::from(field));
        if let Some(known) = self.set_fields.borrow().get(&key) {
            return known.clone();
        }
        let found: Rc<[Value]> = self.find_set_on_object(at, field).into();
        self.set_fields.borrow_mut().insert(key, found.clone());
        found
    }

    fn find_set_on_object(&self, at: ExprRef, field: &str) -> Vec<Value> {
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

    /// What the registration of typed clients in another file sets, if all registrations say the same.
    fn set_for_typed_clients(&self, at: ExprRef, field: &str) -> Vec<Value> {
        let language = self.unit(at.0).language;
        if language != engine_model::Language::CSharp {
            return Vec::new();
        }
        let everywhere = self.known_or(&self.known.typed_clients, field.to_owned(), || {
            (0..)
                .zip(&self.units)
                .filter(|(_, other)| other.language == language)
                .map(|(unit, _)| {
                    (
                        unit,
                        self.set_on_object(ExprRef(unit, engine_syntax::ir::ExprId(0)), field),
                    )
                })
                .filter(|(_, values)| !values.is_empty())
                .collect()
        });
        let mut others = everywhere
            .iter()
            .filter(|(unit, _)| *unit != at.0 && self.unit(*unit).zone == self.unit(at.0).zone);
        match (others.next(), others.next()) {
            (Some((_, only)), None) => only.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether a request carries a header of that name, in its file or in one that sends by it just now.
    fn has_header(&self, at: ExprRef, header: &str) -> bool {
        let mut units = vec![at.0];
        units.extend(self.seen_from.borrow().iter().map(|(_, caller)| caller.0));
        units.into_iter().any(|unit| {
            self.known.headers.get_or((unit, header.to_owned()), || {
                self.module(unit)
                    .exprs
                    .iter()
                    .any(|expr| matches!(&expr.kind, Expr::Str(text) if text.to_ascii_lowercase().contains(header)))
            })
        })
    }

    /// The model that the body of a request names.
    pub(crate) fn body_model(&self, bodies: &[Value]) -> Option<String> {
        self.body_model_in(bodies, 0)
    }

    fn body_model_in(&self, bodies: &[Value], depth: u32) -> Option<String> {
        for body in bodies {
            for key in ["model", "Model", "model_id", "modelId"] {
                if let Some(model) = self
                    .one_constant(&self.key(body, key))
                    .filter(|model| !is_field_name(model))
                {
                    return Some(model);
                }
            }
            // Yandex names the folder of the customer before the model: `gpt://b1g…/yandexgpt-lite/latest`.
            let place = self.text(&self.key(body, "modelUri")).map(|parts| render(&parts));
            if let Some(model) = place
                .as_deref()
                .and_then(|place| place.split_once("://"))
                .and_then(|(_, rest)| rest.split('/').nth(1))
                .filter(|model| !model.is_empty() && !model.contains("{}"))
            {
                return Some(model.to_owned());
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
                            // A request that a builder of the project's own put together, handed in by the caller.
                            let made = match values.as_ref() {
                                [Value::Path(given)]
                                    if matches!(given.root, Root::Param(..)) && given.segs.is_empty() =>
                                {
                                    self.expand(&values)
                                }
                                [Value::Instance(_, None)] => self.handed_in(ExprRef(call.0, arg.value)),
                                _ => Vec::new(),
                            };
                            if !made.is_empty() {
                                let model = made
                                    .iter()
                                    .filter(|value| matches!(value, Value::Path(path) if path.steps().any(|(name, _)| name == "model")))
                                    .find_map(|value| self.one_constant(&self.key(value, "model")));
                                if let Some(model) = model.filter(|model| !is_field_name(model)) {
                                    return Some(model);
                                }
                            }
                            let body = |value: &Value| match value {
                                Value::Literal(_) | Value::Text(_) | Value::Instance(..) => true,
                                // `mapper.writeValueAsString(Map.of("model", name))` is written out like a literal.
                                Value::Path(path) if depth < WRITTEN_MAX => match path.last_name() {
                                    Some("of") => path.has_name("Map"),
                                    Some(name) => WRITES.contains(&name),
                                    None => false,
                                },
                                _ => false,
                            };
                            if values.iter().all(body)
                                && let Some(model) = self.body_model_in(&values, depth + 1)
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

    /// What the callers give to the parameter that a name stands for.
    fn handed_in(&self, at: ExprRef) -> Vec<Value> {
        let Expr::Name(name) = self.expr(at) else {
            return Vec::new();
        };
        let Some(function) = self.named_function_of(at) else {
            return Vec::new();
        };
        let position = self
            .function(function)
            .params
            .iter()
            .position(|param| matches!(&param.pattern, engine_syntax::ir::Pattern::Name(own) if own == name));
        position.map_or_else(Vec::new, |position| {
            self.param_values(function, crate::values::id(position))
        })
    }

    /// The model that the function around a request puts into its form, or one that it calls for that: `createForm(path, "whisper-1")`.
    pub(crate) fn model_of_form(&self, at: ExprRef) -> Option<String> {
        /// Calls of the function that are looked into.
        const CALLS_MAX: usize = 24;
        let function = self.index(at.0).named_function_of(at.1)?;
        let own = FunctionRef(at.0, function);
        self.form_model_in(own, None).or_else(|| {
            let calls = self.index(at.0).calls_of(Some(function));
            calls.into_iter().take(CALLS_MAX).find_map(|call| {
                let call = ExprRef(at.0, call);
                let callees = self.callees(call);
                let [only] = &*callees else { return None };
                (*only != own).then(|| self.form_model_in(*only, Some(call))).flatten()
            })
        })
    }

    /// The model that a function puts into a form; of one that is called for that only what makes forms counts, and what that call hands in.
    fn form_model_in(&self, function: FunctionRef, called: Option<ExprRef>) -> Option<String> {
        let index = self.index(function.0);
        index.calls_of(Some(function.1)).into_iter().find_map(|call| {
            let Expr::Call { callee, args, .. } = index.module.expr(call) else {
                return None;
            };
            // Within `JSONObject().apply { … }` a method has nothing in front of it.
            let fills = match index.module.expr(*callee) {
                Expr::Member { name, .. } | Expr::Name(name) => {
                    FILLS.contains(&&**name) && (called.is_none() || FORMS.contains(&&**name))
                }
                _ => false,
            };
            let is_key = |at: usize| matches!(args.get(at).map(|arg| index.module.expr(arg.value)), Some(Expr::Str(key)) if &**key == "model");
            if !fills || args.len() < 2 || index.named_function_of(call) != Some(function.1) {
                return None;
            }
            // `form.Add(new StringContent("whisper-1"), "model")` has them the other way round.
            let value = match (is_key(0), is_key(1)) {
                (true, _) => args[1].value,
                (false, true) => args[0].value,
                _ => return None,
            };
            let mut values = self.eval(ExprRef(function.0, value));
            if let Some(call) = called
                && let [Value::Path(path)] = &*values
                && let Root::Param(of, position) = path.root
                && path.segs.is_empty()
                && of == function
            {
                values = self.eval(self.argument_for(of, position, call)?);
            }
            self.one_constant(&self.expand(&values)).filter(|model| !is_field_name(model))
        })
    }

    /// Whether the body of a request carries a prompt.
    fn has_prompt(&self, bodies: &[Value]) -> bool {
        bodies.iter().any(|body| {
            ["messages", "prompt", "input", "inputs", "contents", "system"]
                .iter()
                .any(|key| {
                    (matches!(body, Value::Literal(_) | Value::Instance(..)) || is_content(body))
                        && self.holds_key(body, key)
                })
                || self.text(std::slice::from_ref(body)).is_some_and(|parts| {
                    ["\"messages\"", "\"prompt\"", "\"inputs\"", "\"contents\""]
                        .iter()
                        .any(|key| render(&parts).contains(key))
                })
        })
    }

    /// Whether the body of a request holds turns of a conversation, or a prompt beside a model that is chosen elsewhere.
    fn converses(&self, bodies: &[Value]) -> bool {
        bodies.iter().any(|body| {
            let turns = self.key(body, "messages").iter().any(|messages| {
                let parts = self.elements(messages);
                parts.is_empty()
                    || parts.iter().any(|part| {
                        self.eval(*part).iter().any(|message| {
                            !self.key(message, "role").is_empty()
                                || !matches!(message, Value::Literal(_) | Value::Text(_) | Value::Path(_))
                        })
                    })
            });
            let model = self.key(body, "model");
            let chosen = !model.is_empty() && self.constant(&model).is_none();
            turns
                || chosen
                || self.text(std::slice::from_ref(body)).is_some_and(|parts| {
                    let text = render(&parts);
                    text.contains("\"role\"") || text.contains("\\\"role\\\"")
                })
        })
    }

    /// Whether all fields of a body stand in the code, and none of some is among them.
    fn lacks_all(&self, bodies: &[Value], keys: &[&str]) -> bool {
        /// Options under which requests are given their body.
        const WRAPPERS: [&str; 4] = ["json", "body", "data", "form"];
        let written = |body: &Value| match body {
            Value::Literal(at) => match self.expr(*at) {
                Expr::Map(entries) => !entries.is_empty() && entries.iter().all(|entry| entry.key.is_some()),
                _ => false,
            },
            _ => false,
        };
        let inner = |body: &Value| {
            WRAPPERS.iter().find_map(|name| {
                let inner = self.key(body, name);
                (!inner.is_empty()).then_some(inner)
            })
        };
        // What is only written out as JSON says as much as before.
        let plain = |body: &Value| match body {
            Value::Path(path) if matches!(path.last_name(), Some("stringify" | "dumps")) => path
                .calls()
                .next()
                .and_then(|call| self.handed_on(call, 0))
                .unwrap_or_else(|| body.clone()),
            _ => body.clone(),
        };
        let bodies: Vec<Value> = bodies.iter().map(plain).collect();
        bodies.iter().any(written)
            && bodies.iter().all(|body| {
                let bodies = inner(body).unwrap_or_else(|| vec![body.clone()]);
                bodies
                    .iter()
                    .all(|body| written(body) && !keys.iter().any(|key| self.holds_key(body, key)))
            })
    }

    /// Whether the body of a request names a model, holds what it is asked, and says whether the answer comes in pieces.
    fn asks_for_pieces(&self, bodies: &[Value]) -> bool {
        bodies.iter().any(|body| {
            let has = |key: &str| !self.key(body, key).is_empty() || self.holds_key(body, key);
            has("model") && has("stream") && (has("prompt") || has("messages"))
        })
    }

    /// A command of a shell script: any argument may be the address, any may be the body.
    fn command(&self, site: &Site<'_>) -> Option<Identity> {
        let Expr::Call { args, .. } = self.expr(site.at) else {
            return None;
        };
        if args.len() > WORDS_MAX {
            self.cut_short(site.at.0);
        }
        let mut texts: Vec<(Vec<Part>, String)> = Vec::new();
        for arg in args.iter().take(WORDS_MAX) {
            let values = self.expand(&self.eval(ExprRef(site.at.0, arg.value)));
            // What a function is handed may be one of several addresses.
            for parts in self.texts(&values).into_iter().take(ADDRESSES_MAX) {
                let text = render(&parts);
                texts.push((parts, text));
            }
        }
        let mut body = texts
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        for arg in args.iter().take(WORDS_MAX) {
            body.extend(crate::commands::put_together(self, ExprRef(site.at.0, arg.value)));
        }
        let lower = OnceCell::new();
        let model = OnceCell::new();
        let in_body = || model.get_or_init(|| model_in_json(&body)).clone();
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
                    in_body,
                    || body.contains("\"messages\"") || body.contains("\"prompt\""),
                    |proof| match proof {
                        Proof::Header(header) => lower.get_or_init(|| body.to_ascii_lowercase()).contains(header),
                        Proof::Conversation => {
                            body.contains("\"role\"") || body.contains("\"model\"") && body.contains("\"prompt\"")
                        }
                        Proof::Readable => !body.is_empty(),
                        Proof::Streamed | Proof::Named(_) | Proof::Lacks(_) => false,
                    },
                );
                if let Some(mut found) = found {
                    if found.model.is_none() {
                        found.model = in_body();
                    }
                    return Some(found);
                }
            }
        }
        None
    }
}

/// Whether a value is the body of a request of .NET, which holds what was written into it.
fn is_content(value: &Value) -> bool {
    matches!(value, Value::Path(path)
        if matches!(path.last_name(), Some("StringContent" | "JsonContent" | "SerializeObject" | "Serialize")))
}
