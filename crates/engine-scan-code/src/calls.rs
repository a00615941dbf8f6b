//! From callees to records: every place that fits a shape, and every request to a model service.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::catalogue;
use engine_model::{Call, CallKind, ErrorHandling, Language, Logging, Zone};
use engine_syntax::ir::{Expr, Module};
use rustc_hash::FxHashSet;

use crate::ManifestNames;
use crate::arguments::Site;
use crate::identity::{Context, Identity};
use crate::model_text::{is_model_name, pinned};
use crate::origins::Origin;
use crate::shapes::{Hit, Output};
use crate::values::{ExprRef, Path, Root, Value};
use crate::world::World;

/// A record with what only this crate needs to know of it.
pub(crate) struct Found {
    pub(crate) at: ExprRef,
    pub(crate) call: Call,
    /// The path of the callee.
    pub(crate) path: Path,
    /// The address of a request without a library.
    pub(crate) address: Option<String>,
    /// What the shape says that the call gives.
    pub(crate) output: Option<Output>,
    /// Where the name of the model is written, if it ends and that was seen.
    pub(crate) model_at: Option<Origin>,
    /// Whether the service keeps what it is given.
    pub(crate) keeps: bool,
    /// Models that may be asked in place of the one that is named.
    pub(crate) further: Vec<String>,
}

/// Other things that shapes tell.
#[derive(Default)]
pub(crate) struct Extras {
    pub(crate) datasets: Vec<(ExprRef, String)>,
    pub(crate) mcp_clients: Vec<(ExprRef, Path)>,
    /// Units with more records than are followed.
    pub(crate) cut: Vec<u32>,
    /// Whether the product sends requests of which it is not known where they go.
    pub(crate) sends: bool,
    /// Calls of functions of the project that only send on what they are given, where each says who is asked.
    sent: Vec<(ExprRef, Path, Identity)>,
}

/// Records of one file. The facts of each are looked for in the whole file, so that their number is squared.
const RECORDS_MAX: usize = 100;

/// Records of one project: so many, and one for each so many expressions. In projects of people one expression of some hundreds is such a call, and in a
/// collection of examples one of fifty to a hundred. Beyond, each file keeps its first few.
const PROJECT_RECORDS_MIN: usize = 1_000;
const EXPRS_PER_RECORD: usize = 60;
const FILE_RECORDS_MIN: usize = 8;

/// Records that the files of a project may have together before each keeps its first few only.
fn project_records_max(world: &World<'_>) -> usize {
    let exprs: usize = world.units.iter().map(|unit| unit.index.module.exprs.len()).sum();
    PROJECT_RECORDS_MIN + exprs / EXPRS_PER_RECORD
}

pub(crate) fn context<'a>(world: &World<'a>, manifest: &'a ManifestNames) -> Context<'a> {
    let items = world
        .units
        .iter()
        .map(|unit| {
            let module = unit.index.module;
            let mut items: FxHashSet<&str> = imported_items(module).collect();
            // A module that is imported as a whole is told by the members that are used.
            items.extend(module.exprs.iter().filter_map(|expr| match &expr.kind {
                Expr::Member { name, .. } => Some(&**name),
                _ => None,
            }));
            items
        })
        .collect();
    let handed_on = |module: &'a Module| {
        module.exports.iter().filter_map(|export| match &export.source {
            engine_syntax::ir::ExportSource::From { item, .. } => item.as_deref(),
            _ => None,
        })
    };
    let all = world
        .units
        .iter()
        .flat_map(|unit| imported_items(unit.index.module).chain(handed_on(unit.index.module)))
        .collect();
    Context { manifest, items, all }
}

/// The items of other modules that a module imports.
fn imported_items(module: &Module) -> impl Iterator<Item = &str> {
    module
        .imports
        .iter()
        .flat_map(|import| &import.bindings)
        .filter_map(|binding| binding.item.as_deref())
}

/// All records of a project, in the order of files and places.
pub(crate) fn find(world: &World<'_>, context: &Context<'_>) -> (Vec<Found>, Extras) {
    let mut out = Vec::new();
    let mut extras = Extras::default();
    let project_max = project_records_max(world);
    for unit in 0..crate::values::id(world.units.len()) {
        let before = out.len();
        for call in &world.index(unit).calls {
            let own = out.len() - before;
            if own >= RECORDS_MAX || own >= FILE_RECORDS_MIN && out.len() >= project_max {
                extras.cut.push(unit);
                break;
            }
            let at = ExprRef(unit, *call);
            if let Some(found) = place(world, context, at, &mut extras) {
                out.push(found);
            }
        }
    }
    let mut known: BTreeSet<ExprRef> = out.iter().map(|found| found.at).collect();
    for (at, path, identity) in std::mem::take(&mut extras.sent) {
        world.origins.begin();
        if known.insert(at)
            && let Expr::Call { callee, .. } = world.expr(at)
        {
            let callee = ExprRef(at.0, *callee);
            out.push(record(world, at, callee, (path, CallKind::Call, identity, None)));
        }
    }
    drop_parts_of_chains(world, &mut out);
    out.sort_by(|a, b| {
        let of = |found: &Found| (found.call.line, found.call.column);
        (a.call.file.cmp(&b.call.file))
            .then_with(|| of(a).cmp(&of(b)))
            .then_with(|| a.call.symbol.cmp(&b.call.symbol))
    });
    settle_providers(world, context, &mut out);
    (out, extras)
}

/// Leaves out a call that another one of the same library goes on with in one chain: it is sent once, with what stands behind it
/// (`detectAllFaces(image).withFaceLandmarks().withFaceDescriptors()`).
fn drop_parts_of_chains(world: &World<'_>, out: &mut Vec<Found>) {
    const STEPS_MAX: usize = 24;
    let mut parts: BTreeSet<ExprRef> = BTreeSet::new();
    let calls: BTreeMap<ExprRef, Option<&str>> = out
        .iter()
        .filter(|found| found.call.kind == CallKind::Call)
        .map(|found| (found.at, found.call.sdk.as_deref()))
        .collect();
    for (at, sdk) in calls
        .iter()
        .filter(|(_, sdk)| sdk.is_some_and(|sdk| CHAINED.contains(&sdk)))
    {
        let mut here = *at;
        for _ in 0..STEPS_MAX {
            here = match world.expr(here) {
                Expr::Call { callee, .. } => ExprRef(here.0, *callee),
                Expr::Member { object, .. } => ExprRef(here.0, *object),
                _ => break,
            };
            if calls.get(&here) == Some(sdk) {
                parts.insert(here);
            }
        }
    }
    out.retain(|found| !parts.contains(&found.at));
}

/// Libraries that put one request together by a chain of calls.
const CHAINED: [&str; 1] = ["face-api"];

/// Whether a call of Ruby without arguments only hands out a part of a client, of which something is asked: `client.chat` of `client.chat.completions`.
fn hands_out_a_part(world: &World<'_>, at: ExprRef) -> bool {
    let Expr::Call { args, new: false, .. } = world.expr(at) else {
        return false;
    };
    world.unit(at.0).language == Language::Ruby
        && args.is_empty()
        && matches!(
            crate::facts::callee_name(world, at),
            "chat"
                | "completions"
                | "responses"
                | "messages"
                | "embeddings"
                | "moderations"
                | "audio"
                | "images"
                | "edits"
        )
}

/// Whether the function around a place is named after a provider.
fn names_provider(world: &World<'_>, at: ExprRef, provider: &str) -> bool {
    world
        .named_function_of(at)
        .and_then(|function| world.function(function).name.as_deref())
        .is_some_and(|name| {
            name.split(|c: char| !c.is_alphanumeric())
                .any(|word| word.eq_ignore_ascii_case(provider))
        })
}

/// What a place was read as: the path, the kind, who answers, the library.
pub(crate) type Reading = (Path, CallKind, Identity, Option<String>);

fn place(world: &World<'_>, context: &Context<'_>, at: ExprRef, extras: &mut Extras) -> Option<Found> {
    let Expr::Call { callee, new, .. } = world.expr(at) else {
        return None;
    };
    world.origins.begin();
    if world.is_run_for_others(at) {
        return None;
    }
    let callee = world.without_types(ExprRef(at.0, *callee));
    let mut values = world.expand(&world.eval(callee));
    // What is handed to a thread or a pool is run by it.
    for value in world.handed_paths(at) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    for value in &mut values {
        if let Value::Path(path) = value
            && world.shape(at.0, path, context).is_none()
            && let Some(known) = crate::unlisted_clients::as_chat_model(world, at.0, path)
        {
            *value = Value::Path(std::rc::Rc::new(known));
        }
    }
    let mut best: Option<Reading> = crate::commands::read(world, at);
    for value in &values {
        match value {
            Value::Path(path) if wrapped(world, at, &values, path) => {}
            Value::Path(path) => {
                let Some(hit) = world.shape(at.0, path, context) else {
                    continue;
                };
                let site = Site { at, path };
                match hit.shape.hit {
                    Hit::Place(CallKind::Call) if hands_out_a_part(world, at) => {}
                    Hit::Place(kind) => {
                        // What only a type declares says less than what was made.
                        let variant = path.calls().next().is_some()
                            && best.as_ref().is_some_and(|(_, known, identity, _)| {
                                *known == kind
                                    && matches!(
                                        identity.provider.as_deref(),
                                        Some("azure-openai" | "google-vertex" | "aws-bedrock")
                                    )
                            });
                        // Of several clients in one field the one is meant that the function is named after: `_call_groq`.
                        let named = best.as_ref().is_some_and(|(_, known, identity, _)| {
                            *known == kind
                                && hit
                                    .sdk
                                    .provider
                                    .as_deref()
                                    .is_some_and(|provider| names_provider(world, at, provider))
                                && !identity
                                    .provider
                                    .as_deref()
                                    .is_some_and(|other| names_provider(world, at, other))
                        });
                        // `OpenAI(base_url=url) if url else OpenAI()`: where no address is given, its maker is asked.
                        let by_default = best.as_ref().is_some_and(|(_, known, identity, _)| {
                            *known == kind
                                && identity.provider.as_deref() == Some("openai-compatible")
                                && identity.host.is_none()
                        });
                        if best.as_ref().is_some_and(|(_, known, ..)| rank(*known) >= rank(kind))
                            && !variant
                            && !named
                            && !by_default
                        {
                            continue;
                        }
                        if kind == CallKind::Construct && hit.sdk.name == "@ai-sdk" && !*new {
                            // A model factory is a value, not a client that a reader would look for.
                        }
                        if !admitted(world, at, path, &hit.sdk.name) {
                            continue;
                        }
                        let mut identity = world.identify(&site, hit, context, 0);
                        if kind == CallKind::ModelLoad && identity.model.as_deref().is_some_and(is_list_of_names) {
                            continue;
                        }
                        identity.output = hit.shape.output;
                        if by_default && !variant && !named && identity.provider.as_deref() != Some("openai") {
                            continue;
                        }
                        // One client or its variant in a cloud: the library's own provider stands for both.
                        if variant && (identity.assumed || identity.provider.is_none() || identity.host.is_some()) {
                            continue;
                        }
                        best = Some(((**path).clone(), kind, identity, Some(hit.sdk.name.clone())));
                    }
                    Hit::Http => {
                        if best.is_some() {
                            continue;
                        }
                        let (there, here) = world.senders(&site, hit);
                        if !there.is_empty() {
                            let sent = there
                                .into_iter()
                                .map(|(from, identity)| (from, (**path).clone(), identity));
                            extras.sent.extend(sent);
                            continue;
                        }
                        if let Some(identity) = here.or_else(|| world.request(&site, hit)) {
                            best = Some(((**path).clone(), CallKind::Call, identity, None));
                        } else {
                            extras.sends |= world.unit(at.0).zone == Zone::Product && !world.is_test(at);
                        }
                    }
                    Hit::McpClient => extras.mcp_clients.push((at, (**path).clone())),
                    Hit::Dataset => {
                        if let Some(name) = world.constant(&world.argument(at, "#0")) {
                            extras.datasets.push((at, name));
                        }
                    }
                }
            }
            Value::Instance(class, made) => {
                // An instance of a class that extends one of a library is called like one.
                for base in world.external_bases(*class) {
                    let seg = made.map_or(crate::values::Seg::Typed, crate::values::Seg::Call);
                    let Some(path) = base.then(seg) else { continue };
                    if let Some(hit) = world.shape(at.0, &path, context)
                        && hit.shape.hit == Hit::Place(CallKind::Call)
                        && best.is_none()
                        && admitted(world, at, &path, &hit.sdk.name)
                    {
                        let identity = world.identify(&Site { at, path: &path }, hit, context, 0);
                        best = Some((path, CallKind::Call, identity, Some(hit.sdk.name.clone())));
                    }
                }
            }
            Value::Function(function) => {
                // An interface whose methods the library implements by asking a model.
                if let Some(class) = world.function(*function).class
                    && world.module(function.0).class(class).is_interface
                    && (is_ai_service(world, function.0, class) || is_made_a_service(world, function.0, class))
                    && best.is_none()
                {
                    let path = Path {
                        root: Root::Import,
                        segs: vec![
                            crate::values::Seg::Name("dev.langchain4j.service.AiServices".into()),
                            crate::values::Seg::Name(world.function(*function).name.as_deref().unwrap_or("").into()),
                        ],
                    };
                    best = Some((
                        path,
                        CallKind::Call,
                        Identity::default(),
                        Some("langchain4j".to_owned()),
                    ));
                }
                if best.is_none()
                    && let Some(path) = asked_by_interface(world, &values, *function)
                    && let Some(hit) = world.shape(at.0, &path, context)
                    && hit.shape.hit == Hit::Place(CallKind::Call)
                {
                    let identity = world.identify(&Site { at, path: &path }, hit, context, 0);
                    best = Some((path, CallKind::Call, identity, Some(hit.sdk.name.clone())));
                }
                if best.is_none()
                    && let Some((mut identity, library)) = world
                        .declared_request(*function)
                        .map(|identity| (identity, "retrofit2.Retrofit"))
                        .or_else(|| world.declared_elsewhere(*function))
                {
                    // The body is an argument of the method, and names the model.
                    if identity.model.is_none()
                        && let Expr::Call { args, .. } = world.expr(at)
                    {
                        identity.model = args
                            .iter()
                            .find_map(|arg| world.body_model(&world.eval(ExprRef(at.0, arg.value))));
                    }
                    let path = Path {
                        root: Root::Import,
                        segs: vec![
                            crate::values::Seg::Name(library.into()),
                            crate::values::Seg::Name(world.function(*function).name.as_deref().unwrap_or("").into()),
                        ],
                    };
                    best = Some((path, CallKind::Call, identity, None));
                }
            }
            _ => {}
        }
    }
    if best.is_none() {
        best = bound_model(world, at, callee)
            .or_else(|| {
                let (path, identity) = world.fetched(at, callee, context)?;
                Some((path, CallKind::Call, identity, None))
            })
            .or_else(|| crate::unlisted_clients::sent_by_helper(world, at, callee))
            .or_else(|| crate::unlisted_clients::wrapper_by_name(world, context, at, &values));
    }
    Some(record(world, at, callee, best?))
}

/// The method of a client of Go that an interface of the project stands for, told by what the method takes: a type of the client's package
/// (`Converse(context.Context, *bedrockruntime.ConverseInput, …)`). What the project itself puts behind the interface is asked there.
fn asked_by_interface(world: &World<'_>, values: &[Value], function: crate::values::FunctionRef) -> Option<Path> {
    let declared = world.function(function);
    let class = declared.class?;
    let interface = world.module(function.0).class(class).is_interface;
    if !interface || world.unit(function.0).language != Language::Go {
        return None;
    }
    let own = |value: &Value| {
        matches!(value, Value::Function(other) if world
            .function(*other)
            .class
            .is_none_or(|class| !world.module(other.0).class(class).is_interface))
    };
    if values.iter().any(own) {
        return None;
    }
    let name = declared.name.as_deref()?;
    let of_package = |annotation: &engine_syntax::ir::TypeRef| {
        world
            .typed(function.0, annotation, 0)
            .into_iter()
            .find_map(|value| match value {
                Value::Path(path) if path.root == Root::Import => match path.segs.as_slice() {
                    [
                        crate::values::Seg::Name(module),
                        crate::values::Seg::Name(_),
                        crate::values::Seg::Typed,
                    ] => Some(module.clone()),
                    _ => None,
                },
                _ => None,
            })
    };
    let module = declared
        .params
        .iter()
        .filter_map(|param| param.annotation.as_ref())
        .filter_map(of_package)
        .find(|module| crate::shapes::knows_root(Language::Go, module))?;
    Some(Path {
        root: Root::Import,
        segs: vec![
            crate::values::Seg::Name(module),
            crate::values::Seg::Name("Client".into()),
            crate::values::Seg::Typed,
            crate::values::Seg::Name(name.into()),
        ],
    })
}

/// Whether the function around a place looks for a tool by a name that it was given: `TryGetFunction(call, out var tool)`.
fn looks_for_a_tool(world: &World<'_>, at: ExprRef) -> bool {
    let index = world.index(at.0);
    let function = index.named_function_of(at.1);
    index.calls.iter().any(|call| {
        matches!(index.module.expr(*call), Expr::Call { callee, .. }
            if matches!(index.module.expr(*callee), Expr::Member { name, .. } if matches!(&**name, "TryGetFunction" | "TryGetFunctionAndArguments")))
            && index.named_function_of(*call) == function
    })
}

/// The record of a place that was read.
pub(crate) fn record(world: &World<'_>, at: ExprRef, callee: ExprRef, reading: Reading) -> Found {
    let (path, kind, mut identity, sdk) = reading;
    world.keep_to_branch(at, &mut identity);
    // Whichever way a text came here: what cannot be a name is none, and neither is that of another kind of model.
    let may_be = |model: &String| {
        is_model_name(model)
            // The name of a maker says who is asked, and not for what.
            && !matches!(model.as_str(), "openai" | "anthropic" | "google")
            && fits(model, identity.provider.as_deref(), &path)
            && !is_other_word(model, identity.provider.as_deref())
            && is_served(model, identity.provider.as_deref())
    };
    // Of several that may be handed over here, those count that the service has.
    identity.further.retain(may_be);
    let named = identity.model.take().filter(may_be);
    let is_first = named.is_some();
    identity.model = match named {
        None if !identity.further.is_empty() => Some(identity.further.remove(0)),
        model => model,
    };
    let is_first = !keep_to_maker(&mut identity) && is_first;
    let model_at = identity.model.as_deref().and_then(|model| {
        identity
            .model_at
            .filter(|_| is_first)
            .or_else(|| world.origins.of(model))
    });
    let (line, column) = requested(world, at, &path).unwrap_or_else(|| line_of(world, at, callee));
    let unit = world.unit(at.0);
    let span = world.span(at);
    let function = world
        .named_function_or_caller(at)
        .and_then(|function| world.function(function).name.as_deref().map(str::to_owned));
    let site = Site { at, path: &path };
    let tools = if matches!(kind, CallKind::Call | CallKind::Declare) {
        world.tools(&site)
    } else {
        Vec::new()
    };
    let model_pinned = identity.model.as_deref().and_then(pinned);
    let confidence = confidence(&identity, kind, sdk.is_some());
    let (address, output) = (identity.address.clone(), identity.output);
    let further = std::mem::take(&mut identity.further);
    let call = Call {
        file: unit.path.to_owned(),
        line,
        column,
        cell: (span.cell > 0).then_some(span.cell),
        kind,
        provider: identity.provider,
        sdk,
        model: identity.model,
        model_pinned,
        sends: Vec::new(),
        error_handling: ErrorHandling::No,
        logging: Logging::No,
        human_approval: None,
        disclosure: None,
        disclosure_at: None,
        effects: Vec::new(),
        capabilities: Vec::new(),
        traces: Vec::new(),
        system: None,
        zone: if world.is_test(at) { Zone::Test } else { unit.zone },
        function,
        symbol: path.symbol(),
        host: identity.host,
        tools,
        confidence,
    };
    Found {
        at,
        call,
        path,
        address,
        output,
        model_at,
        keeps: false,
        further,
    }
}

/// Services that answer with models of their own or with published weights, and never with those that another maker keeps to itself.
const OWN_MODELS_ONLY: [&str; 7] = [
    "anthropic",
    "google",
    "mistral",
    "cohere",
    "xai",
    "deepseek",
    "huggingface",
];

/// Of these the ones that serve no weights of others either.
const ALONE: [&str; 5] = ["anthropic", "mistral", "cohere", "xai", "deepseek"];

/// Makers that keep the weights of their models to themselves.
const KEPT_BY_MAKER: [&str; 4] = ["openai", "anthropic", "google", "xai"];

/// Of a table with models of several makers those are asked that the provider makes, where it makes one of them; tells whether another took the
/// first place.
fn keep_to_maker(identity: &mut Identity) -> bool {
    let Some(provider) = identity.provider.as_deref() else {
        return false;
    };
    let maker = |name: &String| {
        let known = catalogue().model(name)?;
        let is_kept = !known.open_weights && known.via.is_none() && KEPT_BY_MAKER.contains(&known.provider);
        is_kept.then_some(known.provider)
    };
    let own = |name: &String| maker(name) == Some(provider);
    let is_elsewhere = |name: &String| maker(name).is_some_and(|of| of != provider);
    let mut changed = false;
    if identity.model.as_ref().is_some_and(is_elsewhere)
        && let Some(at) = identity.further.iter().position(own)
    {
        identity.model = Some(identity.further.remove(at));
        changed = true;
    }
    if identity.model.as_ref().is_some_and(own) {
        identity.further.retain(|name| !is_elsewhere(name));
    }
    changed
}

/// Whether a text that is also the name of a model is only the ordinary word where this service is asked, as it has no such model:
/// `command` at a service of another maker.
fn is_other_word(text: &str, provider: Option<&str>) -> bool {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let own = |provider: &str| OWN_MODELS_ONLY.contains(&provider) || matches!(provider, "openai" | "ollama" | "local");
    plain
        && provider.is_some_and(|provider| {
            own(provider)
                && catalogue().model(text).is_some_and(|known| {
                    known.generic && !known.open_weights && known.via.is_none() && known.provider != provider
                })
        })
}

/// Whether a service can have a model of this name: gateways, clouds, servers of one's own and what is not known may have any.
pub(crate) fn is_served(model: &str, provider: Option<&str>) -> bool {
    let Some(provider) = provider.filter(|provider| OWN_MODELS_ONLY.contains(provider)) else {
        return true;
    };
    catalogue().model(model).is_none_or(|known| {
        known.provider == provider
            || known.via.is_some()
            || !ALONE.contains(&provider) && (known.open_weights || !KEPT_BY_MAKER.contains(&known.provider))
    })
}

/// Whether one of the models of a host of many makes pictures or sounds: `stability-ai/stable-diffusion` at Replicate.
fn is_media_of_a_host(found: &Found) -> bool {
    let of_host = matches!(
        found.call.provider.as_deref(),
        Some("replicate" | "huggingface" | "local")
    );
    let makes = |model: &str| {
        let can = catalogue().capabilities().model(model);
        can.iter().any(|capability| capability.is_media())
    };
    of_host && found.call.model.as_deref().is_some_and(makes)
}

/// Whether a name can be that of what a call asks. A runtime on a machine of one's own holds no model that its maker only serves, and what
/// makes vectors or speaks is none that writes.
pub(crate) fn fits(model: &str, provider: Option<&str>, path: &Path) -> bool {
    let Some(known) = catalogue().model(model) else {
        return true;
    };
    let served = !known.open_weights && matches!(known.provider, "openai" | "anthropic" | "google" | "xai");
    if !served {
        return true;
    }
    let local = matches!(provider, Some("ollama" | "local" | "lmstudio" | "llama.cpp"));
    let vectors = path.segs.iter().rev().take(4).any(|seg| {
        matches!(seg, crate::values::Seg::Name(name) if matches!(&**name, "embeddings" | "embed" | "embed_documents" | "embed_query" | "query_embed"))
    });
    // Writers that also speak say so in their names.
    let writes = ["gpt-", "claude", "gemini-"]
        .iter()
        .any(|family| known.family.starts_with(family))
        && !["audio", "realtime", "tts", "image", "transcribe", "embed", "live"]
            .iter()
            .any(|part| model.contains(part));
    !(local || vectors && writes)
}

/// A call of the models that Cloudflare binds to a worker: `env.AI.run(model, …)`, `ai.run("@cf/meta/llama-3-8b-instruct", …)`.
fn bound_model(world: &World<'_>, at: ExprRef, callee: ExprRef) -> Option<Reading> {
    if !crate::project::is_script(world.unit(at.0).language) {
        return None;
    }
    let Expr::Member { object, name } = world.expr(callee) else {
        return None;
    };
    if &**name != "run" {
        return None;
    }
    let object = world.without_types(ExprRef(at.0, *object));
    let model = world.constant(&world.argument(at, "#0"));
    let of_cloudflare = model.as_deref().is_some_and(crate::outline::is_bound_model);
    if !of_cloudflare && !crate::outline::is_binding(world.module(at.0), object.1) {
        return None;
    }
    let seg = |name: &str| crate::values::Seg::Name(name.into());
    let path = Path {
        root: Root::Global,
        segs: vec![seg("env"), seg("AI"), seg("run")],
    };
    let identity = Identity {
        provider: Some("cloudflare".to_owned()),
        model,
        ..Identity::default()
    };
    Some((path, CallKind::Call, identity, Some("workers-ai".to_owned())))
}

/// Whether the callee may also be a function of the project that makes the same call: then this place calls a wrapper.
fn wrapped(world: &World<'_>, at: ExprRef, values: &[Value], path: &Path) -> bool {
    values.iter().any(|value| {
        let Value::Function(function) = value else {
            return false;
        };
        if function.0 == at.0 && world.index(at.0).within(at.1, function.1) {
            return false;
        }
        let symbol = path.symbol();
        world.known_or(&world.known.wraps, (*function, symbol.clone()), || {
            crate::facts::calls_in(world, function.0, Some(*function))
                .iter()
                .take(200)
                .any(|call| {
                    let Expr::Call { callee, .. } = world.expr(*call) else {
                        return false;
                    };
                    world
                        .eval(ExprRef(call.0, *callee))
                        .iter()
                        .any(|value| matches!(value, Value::Path(inner) if inner.symbol() == symbol))
                })
        })
    })
}

/// Of two readings of one place the one that says more wins.
const fn rank(kind: CallKind) -> u8 {
    match kind {
        CallKind::Call => 5,
        CallKind::McpServer => 4,
        CallKind::ModelLoad => 3,
        CallKind::Declare => 2,
        CallKind::Construct => 1,
    }
}

/// Whether what is read from a file looks like a model: by the name of the file, by the name that it gets, or because the file of
/// code has a library of models or asks something to predict.
fn loads_a_model(world: &World<'_>, at: ExprRef) -> bool {
    const ENDINGS: [&str; 7] = [".joblib", ".pkl", ".pickle", ".model", ".sav", ".skops", ".gz"];
    const WORDS: [&str; 13] = [
        "model",
        "clf",
        "classif",
        "regress",
        "pipe",
        "scaler",
        "encoder",
        "vectori",
        "estimator",
        "predict",
        "forest",
        "tfidf",
        "kmeans",
    ];
    let named = |text: &str| {
        let lower = text.to_ascii_lowercase();
        WORDS.iter().any(|word| lower.contains(word))
    };
    let path = world
        .text(&world.argument(at, "#0"))
        .map(|parts| crate::values::render(&parts));
    let by_path = path.is_some_and(|path| named(&path) || ENDINGS.iter().any(|ending| path.ends_with(ending)));
    let function = world
        .named_function_of(at)
        .and_then(|function| world.function(function).name.as_deref());
    by_path
        || crate::join::bound_name(world, at).as_deref().is_some_and(named)
        || function.is_some_and(named)
        || world.known.predicts.get_or(at.0, || {
            let module = world.module(at.0);
            let library = module.imports.iter().any(|import| {
                matches!(
                    import.module.split('.').next(),
                    Some("sklearn" | "xgboost" | "lightgbm" | "catboost" | "imblearn" | "statsmodels")
                )
            });
            library || module.exprs.iter().any(
                |expr| matches!(&expr.kind, Expr::Member { name, .. } if matches!(&**name, "predict" | "predict_proba" | "decision_function")),
            )
        })
}

/// Libraries that do many things are told by what a client was made for.
fn admitted(world: &World<'_>, at: ExprRef, path: &Path, sdk: &str) -> bool {
    match sdk {
        "boto3" => {
            let services: Vec<String> = path
                .calls()
                .filter_map(|call| {
                    world
                        .constant(&world.argument(call, "#0"))
                        .or_else(|| world.constant(&world.argument(call, "service_name")))
                })
                .collect();
            services.is_empty()
                || services.iter().any(|service| {
                    matches!(
                        service.as_str(),
                        "bedrock-runtime"
                            | "bedrock-agent-runtime"
                            | "bedrock-agentcore"
                            | "bedrock"
                            | "sagemaker-runtime"
                            | "runtime.sagemaker"
                            | "rekognition"
                            | "comprehend"
                            | "polly"
                            | "transcribe"
                            | "translate"
                            | "textract"
                            | "personalize-runtime"
                            | "lex-runtime"
                            | "lexv2-runtime"
                    )
                })
        }
        // The same client keeps memories and runs code and browsers; an agent answers where its runtime is invoked.
        "@aws-sdk/client-bedrock-agentcore" if path.last_name() == Some("send") => {
            world.argument(at, "#0").iter().any(|value| {
                matches!(value, Value::Path(command) if command.steps().any(|(name, _)| name == "InvokeAgentRuntimeCommand"))
            })
        }
        // A cache is kept with the same function; a model is named as one, or asked.
        "joblib-load" => loads_a_model(world, at),
        // A function that was looked for by the name in an answer is a tool, which asks nobody by itself.
        "semantic-kernel" => {
            let typed = path.steps().next().is_none() && path.has_name("KernelFunction");
            !(typed && looks_for_a_tool(world, at) || crate::native_functions::is_run(world, at, path))
        }
        // What was read from an answer has methods of the same names: `answer.getParts().stream()` of Java.
        "spring-ai" => {
            // A stream of clients, out of which one is taken, stands before what that one is asked; a model is asked for nothing by nothing.
            let mut names = path.steps().map(|(name, _)| name).take_while(|name| *name != "prompt");
            let _ = names.next();
            let of_provider = matches!(path.segs.iter().rev().nth(1), Some(crate::values::Seg::Typed))
                && matches!(world.expr(at), Expr::Call { args, .. } if args.is_empty());
            !of_provider && !names.any(|name| {
                matches!(
                    name,
                    "call" | "stream" | "content" | "entity" | "chatResponse" | "chatClientResponse"
                )
            })
        }
        // Layers that call layers are one model; what is called from outside of it is the model.
        "torch" if path.symbol().ends_with("nn.Module()") => !world
            .index(at.0)
            .class_of_scope(world.index(at.0).expr_scope[at.1.0 as usize])
            .is_some_and(|class| {
                let class = crate::values::ClassRef(at.0, class);
                let bases = world.external_bases(class);
                !bases.is_empty() || !world.module(at.0).class(class.1).bases.is_empty()
            })
            && world.known.evaluates.get_or(at.0, || {
                world.module(at.0).exprs.iter().any(
                    |expr| matches!(&expr.kind, Expr::Member { name, .. } if matches!(&**name, "load_state_dict" | "eval")),
                )
            }),
        _ => {
            let _ = at;
            true
        }
    }
}

/// Whether some file has the library implement an interface: `AiServices.builder(Assistant.class)`, `AiServices.create(Assistant.class, model)`.
fn is_made_a_service(world: &World<'_>, unit: u32, class: engine_syntax::ir::ClassId) -> bool {
    let Some(name) = world.module(unit).class(class).name.as_deref() else {
        return false;
    };
    let made = world
        .known
        .made_services
        .get_or((), || std::rc::Rc::new(made_services(world)));
    made.contains(name)
}

/// The names of all interfaces that are handed to the library to be implemented.
fn made_services(world: &World<'_>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for unit in &world.units {
        let module = unit.index.module;
        let brings = |import: &engine_syntax::ir::Import| import.module.starts_with("dev.langchain4j.service");
        if !matches!(unit.language, Language::Java | Language::Kotlin) || !module.imports.iter().any(brings) {
            continue;
        }
        for call in &unit.index.calls {
            if let Expr::Call { callee, args, .. } = module.expr(*call)
                && let Expr::Member { object, name } = module.expr(*callee)
                && matches!(&**name, "builder" | "create")
                && matches!(module.expr(*object), Expr::Name(of) if &**of == "AiServices")
                && let Some(first) = args.first()
            {
                out.extend(crate::retrofit::class_named(module, first.value));
            }
        }
    }
    out
}

fn is_ai_service(world: &World<'_>, unit: u32, class: engine_syntax::ir::ClassId) -> bool {
    let module = world.module(unit);
    let told = module
        .imports
        .iter()
        .any(|import| import.module.starts_with("dev.langchain4j.service"))
        && module.class(class).methods.iter().any(|method| {
            module.function(*method).decorators.iter().any(|decorator| {
                let name = match module.expr(*decorator) {
                    Expr::Call { callee, .. } => module.expr(*callee),
                    other => other,
                };
                matches!(name, Expr::Name(name) if matches!(&**name, "SystemMessage" | "UserMessage"))
            })
        });
    if told {
        return true;
    }
    world.module(unit).class(class).decorators.iter().any(|decorator| {
        let mut at = *decorator;
        if let Expr::Call { callee, .. } = world.module(unit).expr(at) {
            at = *callee;
        }
        matches!(world.module(unit).expr(at), Expr::Name(name) if matches!(&**name, "AiService" | "RegisterAiService"))
    })
}

/// Where a reader sees the call: the line of the method that sends, where the chain runs over several lines.
fn line_of(world: &World<'_>, at: ExprRef, callee: ExprRef) -> (u32, u32) {
    let sent = world.span(at);
    let name_place = world.span(callee);
    if name_place.line == name_place.end_line {
        return (sent.line, sent.column);
    }
    let name = match world.expr(callee) {
        Expr::Member { name, .. } => crate::values::id(name.chars().count()),
        _ => 0,
    };
    (name_place.end_line, name_place.end_column.saturating_sub(name).max(1))
}

/// Where a chain names the address of its request; what is sent along may fill many lines before it is sent.
fn requested(world: &World<'_>, at: ExprRef, path: &Path) -> Option<(u32, u32)> {
    if world.unit(at.0).language != Language::Rust || !path.has_name("send") {
        return None;
    }
    let (_, step) = path
        .steps()
        .find(|(name, _)| matches!(*name, "post" | "get" | "put" | "request"))?;
    let Expr::Call { callee, .. } = world.expr(step) else {
        return None;
    };
    // A request that is kept in a variable is sent where it is sent.
    let stmt = |of: ExprRef| world.index(of.0).expr_stmt[of.1.0 as usize];
    if step.0 != at.0 || stmt(step) != stmt(at) {
        return None;
    }
    Some(line_of(world, step, ExprRef(step.0, *callee)))
}

fn confidence(identity: &Identity, kind: CallKind, library: bool) -> u8 {
    let base: u8 = if library { 92 } else { 88 };
    let base = if identity.assumed { base - 12 } else { base };
    match (kind, &identity.provider) {
        (_, None) => base.saturating_sub(15),
        _ => base,
    }
}

/// Providers and models that the calls of a file or a folder name.
#[derive(Default)]
struct Named {
    providers: BTreeSet<String>,
    models: BTreeSet<String>,
}

/// Whether the browser itself listens: whoever serves it there, it is none of the models that the code names.
fn is_of_browser(found: &Found) -> bool {
    found
        .call
        .sdk
        .as_deref()
        .is_some_and(|sdk| sdk.starts_with("web-speech"))
}

/// The method of an interface asks the model with which the library was told to implement it, where there is only one.
fn settle_services(found: &mut [Found]) {
    const ROOT: &str = "dev.langchain4j.service.AiServices.";
    let made: BTreeSet<(Option<String>, Option<String>)> = found
        .iter()
        .filter(|found| found.call.kind == CallKind::Declare && found.call.symbol.starts_with(ROOT))
        .map(|found| (found.call.provider.clone(), found.call.model.clone()))
        .collect();
    let [(Some(provider), model)] = made.iter().collect::<Vec<_>>()[..] else {
        return;
    };
    for found in found.iter_mut().filter(|found| {
        found.call.kind == CallKind::Call && found.call.provider.is_none() && found.call.symbol.starts_with(ROOT)
    }) {
        found.call.provider = Some(provider.clone());
        if found.call.model.is_none() {
            found.call.model.clone_from(model);
            found.call.model_pinned = found.call.model.as_deref().and_then(pinned);
        }
    }
}

/// A framework's call without a provider of its own gets the only one that its file, else its folder, names.
fn settle_providers(world: &World<'_>, context: &Context<'_>, found: &mut [Found]) {
    settle_services(found);
    crate::injected_objects::settle(world, context, found);
    // A model that anybody may serve (`llava`) says nothing of the service that Spring asks for it.
    for found in found.iter_mut() {
        let of_spring = found.call.sdk.as_deref() == Some("spring-ai");
        let served = |provider: &str| {
            let known = crate::shapes::providers_of(world.unit(found.at.0).language, "spring-ai");
            let is_host = || catalogue().hosts().iter().any(|host| host.provider == provider);
            known.is_none_or(|known| known.values().any(|service| service == provider)) || is_host()
        };
        if of_spring && found.call.provider.as_deref().is_some_and(|provider| !served(provider)) {
            found.call.provider = None;
        }
    }
    // Who makes pictures and sounds answers no questions, and the other way round.
    let other_kind = |found: &Found| {
        matches!(found.output, Some(Output::Image | Output::Audio | Output::Video))
            || matches!(
                found.call.provider.as_deref(),
                Some("fal" | "elevenlabs" | "deepgram" | "assemblyai" | "pollinations")
            )
            || is_media_of_a_host(found)
            || is_of_browser(found)
    };
    let mut of_files: BTreeMap<String, Named> = BTreeMap::new();
    let mut of_folders: BTreeMap<String, Named> = BTreeMap::new();
    for found in found.iter().filter(|found| !other_kind(found)) {
        let Some(provider) = &found.call.provider else { continue };
        let dir = crate::project::folder(&found.call.file);
        for named in [
            of_files.entry(found.call.file.clone()).or_default(),
            of_folders.entry(dir.to_owned()).or_default(),
        ] {
            named.providers.insert(provider.clone());
            named.models.extend(found.call.model.clone());
        }
    }
    for found in found.iter_mut() {
        if found.call.model.is_none()
            && found.call.kind == CallKind::Call
            && let Some(model) = registered_model(world, found)
        {
            found.call.model_pinned = pinned(&model);
            found.call.model = Some(model);
        }
        let settled = found.call.provider.is_some() || matches!(found.call.kind, CallKind::McpServer);
        if settled || is_of_browser(found) || found.call.sdk.is_none() && other_kind(found) {
            continue;
        }
        if let Some(provider) = registered_provider(world, found) {
            found.call.provider = Some(provider);
            found.call.confidence = found.call.confidence.min(75);
            continue;
        }
        let unit = found.at.0;
        let imported = world
            .known
            .imported_provider
            .get_or(unit, || imported_provider(world, unit));
        if let Some(provider) = imported {
            found.call.provider = Some(provider);
            found.call.confidence = found.call.confidence.min(75);
            continue;
        }
        let dir = crate::project::folder(&found.call.file);
        let near = of_files.get(&found.call.file).or_else(|| of_folders.get(dir));
        if let Some(Named { providers, models }) = near
            && providers.len() == 1
        {
            found.call.provider = providers.first().cloned();
            found.call.confidence = found.call.confidence.min(75);
            if found.call.model.is_none()
                && let [model] = models.iter().collect::<Vec<_>>()[..]
                && fits(model, found.call.provider.as_deref(), &found.path)
            {
                found.call.model = Some(model.clone());
                found.call.model_pinned = found.call.model.as_deref().and_then(pinned);
            }
        }
    }
    // Whoever is told by what stands near may stand behind an interface.
    settle_services(found);
}

/// The only provider that was registered in a container: `builder.Services.AddKernel().AddOpenAIChatCompletion(…)`.
fn registered_provider(world: &World<'_>, found: &Found) -> Option<String> {
    let language = world.unit(found.at.0).language;
    if language != Language::CSharp {
        return None;
    }
    let (sdk, vectors) = (found.call.sdk.as_deref()?, makes_vectors(found));
    world.known.registered_provider.get_or((sdk.to_owned(), vectors), || {
        find_registered_provider(world, language, sdk, vectors)
    })
}

/// Whether a record of a kernel makes vectors: what was registered to answer does not serve it, and the other way round.
fn makes_vectors(found: &Found) -> bool {
    found.call.symbol.contains("Embedding")
}

fn find_registered_provider(world: &World<'_>, language: Language, sdk: &str, vectors: bool) -> Option<String> {
    let providers = crate::shapes::providers_of(language, sdk)?;
    let mut out = BTreeSet::new();
    for unit in world.units.iter().filter(|unit| unit.language == language) {
        for expr in &unit.index.module.exprs {
            if let Expr::Member { name, .. } = &expr.kind
                && name.contains("Embedding") == vectors
                && let Some(provider) = providers.get(&**name)
            {
                out.insert(provider.clone());
            }
        }
    }
    if out.len() == 1 { out.into_iter().next() } else { None }
}

/// The only model with which a provider was registered: `AddOpenAIChatCompletion("gpt-4.1", key)`.
fn registered_model(world: &World<'_>, found: &Found) -> Option<String> {
    let language = world.unit(found.at.0).language;
    if language != Language::CSharp {
        return None;
    }
    let (sdk, vectors) = (found.call.sdk.as_deref()?, makes_vectors(found));
    world.known.registered_model.get_or((sdk.to_owned(), vectors), || {
        find_registered_model(world, language, sdk, vectors)
    })
}

fn find_registered_model(world: &World<'_>, language: Language, sdk: &str, vectors: bool) -> Option<String> {
    let providers = crate::shapes::providers_of(language, sdk)?;
    let mut out = BTreeSet::new();
    for (unit, other) in (0..).zip(&world.units) {
        if other.language != language {
            continue;
        }
        for call in &other.index.calls {
            let Expr::Call { callee, args, .. } = other.index.module.expr(*call) else {
                continue;
            };
            if let Expr::Member { name, .. } = other.index.module.expr(*callee)
                && name.starts_with("Add")
                && name.contains("Embedding") == vectors
                && providers.contains_key(&**name)
            {
                let at = ExprRef(unit, *call);
                let model = ["modelId", "deploymentName", "#0"]
                    .iter()
                    .find_map(|place| world.constant(&world.argument(at, place)));
                // Who hands over one name alone may name a service of the host of the program.
                let is_model = |name: &String| args.len() > 1 || catalogue().model(name).is_some();
                out.extend(model.filter(is_model));
            }
        }
    }
    if out.len() == 1 { out.into_iter().next() } else { None }
}

/// The only provider that the imports of a file name.
fn imported_provider(world: &World<'_>, unit: u32) -> Option<String> {
    let mut out = BTreeSet::new();
    // The project may be called like a service: `com.acme.spring_openai.chat`.
    let (path, language) = (world.unit(unit).path, world.unit(unit).language);
    let package = world.module(unit).package.as_deref().unwrap_or("");
    let home: Vec<&str> = package.split('.').take(3).collect();
    let is_own = |module: &str| {
        home.len() == 3 && module.split('.').take(3).eq(home.iter().copied())
            || world.paths.is_own(path, language, module)
    };
    let imports = world.module(unit).imports.iter();
    for import in imports.filter(|import| !import.type_only && !is_own(&import.module)) {
        for part in import.module.split(['.', '/', ':', '-', '_']) {
            let name = part.to_ascii_lowercase();
            if matches!(
                name.as_str(),
                "openai"
                    | "anthropic"
                    | "mistral"
                    | "mistralai"
                    | "ollama"
                    | "cohere"
                    | "google"
                    | "gemini"
                    | "groq"
                    | "azureopenai"
                    | "bedrock"
                    | "huggingface"
                    | "deepseek"
                    | "xai"
            ) {
                out.insert(
                    match name.as_str() {
                        "mistralai" => "mistral",
                        "gemini" => "google",
                        "azureopenai" => "azure-openai",
                        "bedrock" => "aws-bedrock",
                        other => other,
                    }
                    .to_owned(),
                );
            }
        }
    }
    if out.len() == 1 { out.into_iter().next() } else { None }
}

/// Whether a file that was loaded is a list of names beside a model: `feature_names.pkl`, `model_columns.joblib`.
fn is_list_of_names(file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file).to_ascii_lowercase();
    let Some((stem, "pkl" | "pickle" | "joblib")) = name.rsplit_once('.') else {
        return false;
    };
    let last = stem.rsplit(['_', '-', '.', ' ']).next().unwrap_or(stem);
    matches!(last, "names" | "columns" | "cols" | "features")
}
