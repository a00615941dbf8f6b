//! Clients without a shape in the data: identified by the interface that they implement, or by the address in the call.

use engine_catalogue::{HostKind, catalogue};
use engine_model::{CallKind, Ecosystem, Language, Zone};
use engine_syntax::ir::Expr;

use crate::addresses::judge;
use crate::calls::{Found, Reading, record};
use crate::identity::{Context, Identity};
use crate::model_text::is_model_name;
use crate::project::folder;
use crate::values::{ExprRef, Path, Root, Seg, Value, render};
use crate::world::World;

/// Methods by which `LangChain` runs whatever it runs.
const RUNS: [&str; 6] = ["invoke", "ainvoke", "stream", "astream", "batch", "abatch"];

/// Texts of one project that are looked at for what stands together.
const TEXTS_MAX: usize = 200_000;

/// Names of models that are held against the address.
const MODELS_MAX: usize = 50;

/// A chat model of a package that nobody described, as one of `LangChain`: `UiPathChat(model=…).ainvoke(messages)`.
///
/// It is named as all of them are, run as all of them are, and the file works with `LangChain`.
pub(crate) fn as_chat_model(world: &World<'_>, unit: u32, path: &Path) -> Option<Path> {
    let python = crate::project::is_python(world.unit(unit).language);
    if path.root != Root::Import || !python || !path.last_name().is_some_and(|last| RUNS.contains(&last)) {
        return None;
    }
    let at = path.segs.iter().position(|seg| !matches!(seg, Seg::Name(_)))?;
    if !matches!(path.segs.get(at), Some(Seg::Call(_) | Seg::Typed)) || at < 2 {
        return None;
    }
    let (Some(Seg::Name(first)), Some(Seg::Name(class))) = (path.segs.first(), path.segs.get(at - 1)) else {
        return None;
    };
    let named = class.starts_with(char::is_uppercase)
        && (class
            .strip_prefix("Chat")
            .is_some_and(|rest| rest.starts_with(char::is_uppercase))
            || class.strip_suffix("Chat").is_some_and(|rest| rest.len() > 2)
            || class.ends_with("ChatModel"));
    let works_with = ["langchain", "langchain_core", "langgraph"]
        .iter()
        .any(|root| world.imports_begin_with(unit, root));
    if !named || !works_with || first.starts_with("langgraph") {
        return None;
    }
    let mut segs = vec![Seg::Name("langchain_core".into()), Seg::Name("BaseChatModel".into())];
    segs.extend(path.segs[at..].iter().cloned());
    Some(Path {
        root: Root::Import,
        segs,
    })
}

/// Words of which a package for a model service has one in its name, with who that is.
const NAMED_AFTER: [(&str, &str); 7] = [
    ("openai", "openai"),
    ("chatgpt", "openai"),
    ("gpt", "openai"),
    ("anthropic", "anthropic"),
    ("claude", "anthropic"),
    ("gemini", "google"),
    ("mistral", "mistral"),
];

/// Whether a module that is imported may be a package for a model service that no list has, by its name. What lies in the project by a relative
/// path is none.
pub(crate) fn may_be_a_wrapper(language: Language, module: &str) -> bool {
    let first = match language {
        Language::Rust => module.split("::").next().unwrap_or(module),
        _ => module,
    };
    matches!(
        language,
        Language::Go
            | Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Python
            | Language::Notebook
            | Language::Rust
    ) && !first.starts_with(['.', '/', '@', '~', '#'])
        && !matches!(first, "crate" | "self" | "super")
        && named_after(first).is_some()
}

/// The word of the name of a package that is the name of a model service, with who that is.
fn named_after(module: &str) -> Option<&'static str> {
    NAMED_AFTER.iter().find_map(|(word, provider)| {
        module
            .split(|c: char| !c.is_alphanumeric())
            .any(|part| part.eq_ignore_ascii_case(word))
            .then_some(*provider)
    })
}

/// Methods by which clients of several makers ask a model, and nothing else, without the marks between their words.
const ASKS: [&str; 9] = [
    "chatcompletion",
    "chatcompletions",
    "createchatcompletion",
    "createchatcompletions",
    "getchatcompletion",
    "getchatcompletions",
    "createcompletion",
    "generatecontent",
    "createmessage",
];

/// The name of a model with which the body of a request was made: `ChatRequest::new("gpt-4", turns)`.
fn made_with(world: &World<'_>, bodies: &[Value]) -> Option<String> {
    bodies.iter().find_map(|body| {
        let Value::Path(path) = body else { return None };
        path.calls().find_map(|call| {
            let Expr::Call { args, .. } = world.expr(call) else {
                return None;
            };
            args.iter().take(4).find_map(|arg| {
                let model = world.constant(&world.eval(ExprRef(call.0, arg.value)))?;
                (is_model_name(&model) && catalogue().model(&model).is_some()).then_some(model)
            })
        })
    })
}

/// A call of a package that no list has, where name, model and turns tell what it is: a client out of `github.com/somebody/go-chatgpt-sdk`, which a
/// manifest names too, is handed a model that is known and messages with roles.
pub(crate) fn wrapper_by_name(
    world: &World<'_>,
    context: &Context<'_>,
    at: ExprRef,
    values: &[Value],
) -> Option<Reading> {
    let language = world.unit(at.0).language;
    let ecosystem = match language {
        Language::Go => Ecosystem::Go,
        Language::JavaScript | Language::TypeScript | Language::Tsx => Ecosystem::Npm,
        Language::Python => Ecosystem::PyPI,
        Language::Rust => Ecosystem::Cargo,
        _ => return None,
    };
    let Expr::Call { args, .. } = world.expr(at) else {
        return None;
    };
    if args.is_empty() {
        return None;
    }
    let (path, module) = values.iter().find_map(|value| match value {
        Value::Path(path) if path.root == Root::Import && path.calls().next().is_some() => match path.segs.first() {
            Some(Seg::Name(module)) if !crate::shapes::knows_root(language, module) => Some((path, module)),
            _ => None,
        },
        _ => None,
    })?;
    let provider = named_after(module)?;
    let declared = context.manifest.contains(ecosystem, module)
        || matches!(ecosystem, Ecosystem::PyPI | Ecosystem::Cargo)
            && context.manifest.contains(ecosystem, &module.replace('_', "-"));
    if !declared {
        return None;
    }
    let key = |value: &Value, names: [&str; 2]| {
        names
            .into_iter()
            .flat_map(|name| world.key(value, name))
            .collect::<Vec<_>>()
    };
    let mut bodies: Vec<Value> = Vec::new();
    for arg in args.iter().filter(|arg| arg.name.is_none()).take(3) {
        bodies.extend(world.expand(&world.eval(ExprRef(at.0, arg.value))));
    }
    let model = bodies
        .iter()
        .map(|body| key(body, ["model", "Model"]))
        .find(|found| !found.is_empty());
    let model = model.unwrap_or_else(|| world.argument(at, "model"));
    let model = world
        .constant(&model)
        .filter(|model| is_model_name(model) && catalogue().model(model).is_some());
    // A method that is named as nothing else is says the same as a model and turns.
    let asks = path.last_name().is_some_and(|name| {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        ASKS.contains(&plain.to_ascii_lowercase().as_str())
    });
    if asks {
        let identity = Identity {
            provider: Some(provider.to_owned()),
            model: model.or_else(|| made_with(world, &bodies)),
            ..Identity::default()
        };
        return Some(((**path).clone(), CallKind::Call, identity, Some(module.to_string())));
    }
    let model = model?;
    let mut messages: Vec<Value> = bodies
        .iter()
        .flat_map(|body| key(body, ["messages", "Messages"]))
        .collect();
    messages.extend(world.argument(at, "messages"));
    let turns = messages.iter().any(|messages| {
        world.elements(messages).into_iter().any(|part| {
            world.eval(part).iter().any(|message| {
                !key(message, ["role", "Role"]).is_empty()
                    && ["content", "Content"].iter().any(|key| world.holds_key(message, key))
            })
        })
    });
    if !turns {
        return None;
    }
    let identity = Identity {
        provider: Some(provider.to_owned()),
        model: Some(model),
        ..Identity::default()
    };
    Some(((**path).clone(), CallKind::Call, identity, Some(module.to_string())))
}

/// A request that a method of a helper sends to the whole address of a model service: `client.SendJsonAsync(HttpMethod.Post, "https://…", body)`.
pub(crate) fn sent_by_helper(world: &World<'_>, at: ExprRef, callee: ExprRef) -> Option<Reading> {
    const VERBS: [&str; 5] = ["Send", "Post", "Execute", "Request", "Call"];
    if world.unit(at.0).language != Language::CSharp {
        return None;
    }
    let (Expr::Member { name, .. }, Expr::Call { args, .. }) = (world.expr(callee), world.expr(at)) else {
        return None;
    };
    if args.len() < 2 || !VERBS.iter().any(|verb| name.starts_with(verb)) {
        return None;
    }
    let posts = args.iter().any(|arg| {
        matches!(world.expr(ExprRef(at.0, arg.value)), Expr::Member { object, name }
            if matches!(&**name, "Post" | "Put") && matches!(world.expr(ExprRef(at.0, *object)), Expr::Name(of) if &**of == "HttpMethod"))
    });
    if !posts {
        return None;
    }
    let identity = args.iter().find_map(|arg| {
        let value = ExprRef(at.0, arg.value);
        if !matches!(world.expr(value), Expr::Str(_) | Expr::Template(_)) {
            return None;
        }
        let parts = world.text(&world.eval(value))?;
        let address = render(&parts);
        let known = address.starts_with("https://") && catalogue().host(&address).is_some();
        known
            .then(|| judge(&address, &parts, || None, || true, |_| false))
            .flatten()
    })?;
    let path = Path {
        root: Root::Import,
        segs: vec![
            Seg::Name("System.Net.Http".into()),
            Seg::Name("HttpClient".into()),
            Seg::Typed,
            Seg::Name((**name).into()),
        ],
    };
    Some((path, CallKind::Call, identity, None))
}

/// Words of functions that send something to an address.
const SENDS: [&str; 8] = [
    "post", "send", "fetch", "request", "execute", "submit", "stream", "call",
];

/// Requests to the whole address of a model that go out by something of which nothing is known: a client of another file that is not
/// followed, or a function of the project's own (`http_post_json("https://api.openai.com/v1/chat/completions", body)`).
///
/// A service that something else is seen to ask already is not told again: the function that is handed the address may be what asks.
pub(crate) fn sent_whole(world: &World<'_>, found: &[Found]) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::new();
    let is_asked = |identity: &Identity| {
        found.iter().any(|known| {
            known.call.zone == Zone::Product
                && known.call.kind == CallKind::Call
                && known.call.provider == identity.provider
        })
    };
    for unit in 0..crate::values::id(world.units.len()) {
        if world.unit(unit).zone != Zone::Product || world.unit(unit).language == Language::Shell {
            continue;
        }
        let index = world.index(unit);
        for (number, node) in index.module.exprs.iter().enumerate() {
            let Expr::Str(text) = &node.kind else { continue };
            let id = engine_syntax::ir::ExprId(crate::values::id(number));
            if !text.starts_with("https://")
                || index.expr_scope[number] == crate::index::NONE
                || catalogue().request(text).is_none_or(|target| !target.model_call)
            {
                continue;
            }
            for at in handed_to(world, ExprRef(unit, id)) {
                let Expr::Call { callee, args, .. } = world.expr(at) else {
                    continue;
                };
                let callee = ExprRef(unit, *callee);
                let (segs, name) = match world.expr(callee) {
                    Expr::Name(name) => (vec![Seg::Name((**name).into())], name),
                    Expr::Member { object, name } => match world.expr(ExprRef(unit, *object)) {
                        Expr::Name(of) => (vec![Seg::Name((**of).into()), Seg::Name((**name).into())], name),
                        Expr::Member { name: of, .. } => {
                            (vec![Seg::Name((**of).into()), Seg::Name((**name).into())], name)
                        }
                        _ => continue,
                    },
                    _ => continue,
                };
                // What is made of an address sends nothing yet; Go writes the names of functions large as well.
                let is_made = matches!(world.expr(callee), Expr::Name(_))
                    && name.starts_with(char::is_uppercase)
                    && world.unit(unit).language != Language::Go;
                let words = engine_catalogue::words_of(name);
                if is_made
                    || !words.iter().any(|word| SENDS.contains(&word.as_str()))
                    || world.is_test(at)
                    || found.iter().chain(&out).any(|known| known.at == at)
                {
                    continue;
                }
                let Some(parts) = world.text(&world.eval(ExprRef(unit, id))) else {
                    continue;
                };
                let Some(mut identity) = judge(text, &parts, || None, || true, |_| false) else {
                    continue;
                };
                if is_asked(&identity) {
                    continue;
                }
                identity.model = args
                    .iter()
                    .find_map(|arg| world.body_model(&world.eval(ExprRef(unit, arg.value))));
                let path = Path {
                    root: Root::Global,
                    segs,
                };
                out.push(record(world, at, callee, (path, CallKind::Call, identity, None)));
            }
        }
    }
    out
}

/// The calls that are handed a text: itself, or by the constant of the file whose value it is.
fn handed_to(world: &World<'_>, text: ExprRef) -> Vec<ExprRef> {
    /// Arguments among which an address stands.
    const ARGUMENTS_MAX: usize = 3;
    /// Mentions of one constant that are looked at.
    const MENTIONS_MAX: usize = 12;
    let index = world.index(text.0);
    let taken = |id: engine_syntax::ir::ExprId| {
        let parent = index.ancestors(id).next()?;
        match index.module.expr(parent) {
            Expr::Call { args, .. } if args.iter().take(ARGUMENTS_MAX).any(|arg| arg.value == id) => {
                Some(ExprRef(text.0, parent))
            }
            _ => None,
        }
    };
    if let Some(call) = taken(text.1) {
        return vec![call];
    }
    let stmt = index.expr_stmt[text.1.0 as usize];
    if stmt == crate::index::NONE {
        return Vec::new();
    }
    let engine_syntax::ir::StmtKind::Assign {
        target: engine_syntax::ir::Pattern::Name(name),
        value: Some(value),
        ..
    } = &index.stmts[stmt as usize].stmt.kind
    else {
        return Vec::new();
    };
    if *value != text.1 {
        return Vec::new();
    }
    let mentions = (0..)
        .zip(&index.module.exprs)
        .filter(|(_, expr)| matches!(&expr.kind, Expr::Name(known) if known == name));
    mentions
        .filter_map(|(number, _)| taken(engine_syntax::ir::ExprId(number)))
        .take(MENTIONS_MAX)
        .collect()
}

/// What a product that sends requests, and of which no use is resolved, still says: the address of a model service, the path under which it answers and the name of a
/// model beside the address or below its folder, each as a text of its code. Something is prepared there, whoever sends it.
pub(crate) fn named_together(world: &World<'_>) -> Option<Found> {
    let mut host: Option<(ExprRef, Identity)> = None;
    let mut path = false;
    let mut models: Vec<(u32, &str)> = Vec::new();
    let mut looked = 0;
    for unit in 0..crate::values::id(world.units.len()) {
        // A table of prices or hosts in a notebook prepares nothing.
        if world.unit(unit).zone != Zone::Product || world.unit(unit).language == Language::Notebook {
            continue;
        }
        let index = world.index(unit);
        for (at, node) in index.module.exprs.iter().enumerate() {
            let Expr::Str(text) = &node.kind else { continue };
            looked += 1;
            if looked > TEXTS_MAX {
                return None;
            }
            let at = ExprRef(unit, engine_syntax::ir::ExprId(crate::values::id(at)));
            if text.len() < 4
                || text.len() > 200
                || text.contains(char::is_whitespace)
                || index.expr_scope[at.1.0 as usize] == crate::index::NONE
            {
                continue;
            }
            if text.contains("://") {
                let Some(known) = catalogue().host(text).filter(|known| is_service(known.kind)) else {
                    continue;
                };
                if world.is_test(at) {
                    continue;
                }
                if host.is_none() {
                    let name = crate::identity::host_name(text);
                    let identity = Identity {
                        provider: Some(known.provider.clone()),
                        host: Some(name),
                        ..Identity::default()
                    };
                    host = Some((at, identity));
                }
                path |= catalogue().request(text).is_some_and(|target| target.model_call);
            } else if text.contains('/') {
                let whole = format!("/{}", text.trim_start_matches('/'));
                path |= catalogue().path_shape(&whole).is_some_and(|shape| shape.strong) && !world.is_test(at);
            } else if models.len() < MODELS_MAX
                && is_model_name(text)
                && catalogue().model(text).is_some()
                && !world.is_test(at)
            {
                models.push((unit, text));
            }
        }
    }
    let (at, mut identity) = host?;
    // A name elsewhere in a large tree has nothing to do with the address.
    let dir = folder(world.unit(at.0).path);
    let beside = |unit: u32| dir.is_empty() || folder(world.unit(unit).path).starts_with(dir);
    let (_, model) = models.into_iter().find(|(unit, _)| beside(*unit))?;
    identity.model = Some(model.to_owned());
    if !path {
        return None;
    }
    let service = Path {
        root: Root::Global,
        segs: vec![Seg::Name(identity.host.as_deref().unwrap_or("").into())],
    };
    Some(record(world, at, at, (service, CallKind::Construct, identity, None)))
}

const fn is_service(kind: HostKind) -> bool {
    matches!(kind, HostKind::Api | HostKind::Gateway | HostKind::HostedInference)
}
