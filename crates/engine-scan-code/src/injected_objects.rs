//! Objects injected by a container: the project's own construction of such an object shows its provider and model.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CallKind, Language, Zone};
use engine_syntax::ir::Expr;

use crate::calls::{Found, fits};
use crate::identity::Context;
use crate::model_text::{is_model_name, pinned};
use crate::origins::Origin;
use crate::values::{ExprRef, Path, Seg, Value};
use crate::world::World;

/// What is known of how the project makes objects of one kind.
#[derive(Default)]
struct Made {
    models: BTreeSet<Option<String>>,
    providers: BTreeSet<Option<String>>,
    /// Where the name of the first model is written, if that was seen.
    model_at: Option<Origin>,
}

impl Made {
    fn add(&mut self, found: &Found) {
        self.models.insert(found.call.model.clone());
        self.providers.insert(found.call.provider.clone());
        self.model_at = self.model_at.or(found.model_at);
    }

    /// The model with which all are made.
    fn model(&self) -> Option<&str> {
        only(&self.models)
    }

    /// The service that all of them ask.
    fn provider(&self) -> Option<&str> {
        only(&self.providers)
    }
}

fn only(names: &BTreeSet<Option<String>>) -> Option<&str> {
    let mut all = names.iter();
    let first = all.next()?.as_deref()?;
    all.next().is_none().then_some(first)
}

/// Whether a place belongs to a library that is told once which model answers where a call names none.
fn has_default_model(found: &Found) -> bool {
    found.call.sdk.as_deref() == Some("genkit-go")
}

/// The type that a path begins with, where an object is only known by it: a class, and no call before it.
fn begins_with_type(path: &Path) -> Option<String> {
    let typed = path.segs.iter().position(|seg| matches!(seg, Seg::Typed))?;
    let (before, _) = path.segs.split_at(typed);
    let made = before.iter().any(|seg| matches!(seg, Seg::Call(_)));
    let class = Path {
        root: path.root,
        segs: before.to_vec(),
    };
    (!made).then(|| class.symbol())
}

/// What is called on an object that is only known by its type asks the model with which the project makes objects of that type, where all of
/// them are made with the same.
pub(crate) fn settle(world: &World<'_>, context: &Context<'_>, found: &mut [Found]) {
    let mut made: BTreeMap<String, Made> = BTreeMap::new();
    let mut defaults = Made::default();
    for found in found.iter().filter(|found| found.call.zone == Zone::Product) {
        if matches!(
            found.call.kind,
            CallKind::Construct | CallKind::Declare | CallKind::ModelLoad
        ) {
            made.entry(found.call.symbol.clone()).or_default().add(found);
        }
        if found.call.kind == CallKind::Construct && has_default_model(found) {
            defaults.add(found);
        }
    }
    handed_out(world, context, &mut made);
    // What is known of a type, by its name: a file with many calls asks for the same again and again.
    let mut types: BTreeMap<String, Made> = BTreeMap::new();
    let mut hubs: BTreeMap<u32, Option<String>> = BTreeMap::new();
    let pools = pools(world, found);
    for found in found.iter_mut().filter(|found| found.call.kind == CallKind::Call) {
        if has_default_model(found) && found.call.model.is_none() {
            name(found, &defaults);
        }
        if is_pool(found) {
            take_file(world, found, &pools);
            continue;
        }
        if found.call.sdk.as_deref() == Some("candle") && found.call.model.is_none() {
            let unit = found.at.0;
            let hub = hubs.entry(unit).or_insert_with(|| repository(world, unit));
            if let Some(model) = hub {
                found.call.model_pinned = pinned(model);
                found.call.model = Some(model.clone());
            }
            continue;
        }
        let Some(class) = begins_with_type(&found.path) else {
            continue;
        };
        let of_type = types.entry(class).or_insert_with_key(|class| made_of(&made, class));
        if let Some(provider) = of_type.provider()
            && found.call.provider.is_some()
        {
            found.call.provider = Some(provider.to_owned());
        }
        if found.call.model.is_none() {
            name(found, of_type);
        }
    }
}

/// Methods that hand out an object which a container keeps by a type of its own, and that type.
const HANDS_OUT: [(&str, &str); 9] = [
    ("AsIChatClient", "Microsoft.Extensions.AI.IChatClient"),
    ("AsChatClient", "Microsoft.Extensions.AI.IChatClient"),
    ("AsIEmbeddingGenerator", "Microsoft.Extensions.AI.IEmbeddingGenerator"),
    ("AsEmbeddingGenerator", "Microsoft.Extensions.AI.IEmbeddingGenerator"),
    ("GetChatClient", "OpenAI.Chat.ChatClient"),
    ("GetEmbeddingClient", "OpenAI.Embeddings.EmbeddingClient"),
    ("GetImageClient", "OpenAI.Images.ImageClient"),
    ("GetAudioClient", "OpenAI.Audio.AudioClient"),
    ("GetResponsesClient", "OpenAI.Responses.ResponsesClient"),
];

/// Registrations of a container for the interface of chat clients, whatever class stands behind it, and of generators.
const REGISTERS: [(&str, &str); 2] = [
    ("AddChatClient", "Microsoft.Extensions.AI.IChatClient"),
    ("AddEmbeddingGenerator", "Microsoft.Extensions.AI.IEmbeddingGenerator"),
];

/// Adds what the product makes of each such type: an object that a container hands in is one of them.
fn handed_out(world: &World<'_>, context: &Context<'_>, made: &mut BTreeMap<String, Made>) {
    for (unit, other) in (0..).zip(&world.units) {
        if other.language != Language::CSharp || other.zone != Zone::Product {
            continue;
        }
        let module = other.index.module;
        for call in &other.index.calls {
            let Expr::Call { callee, args, .. } = module.expr(*call) else {
                continue;
            };
            let Expr::Member { name, .. } = module.expr(*callee) else {
                continue;
            };
            let of = |table: &[(&str, &'static str)]| {
                let row = table.iter().find(|(method, _)| **method == **name);
                row.map(|(_, class)| *class)
            };
            let (class, values) = if let Some(class) = of(&HANDS_OUT) {
                (class, world.eval(ExprRef(unit, *call)).to_vec())
            } else if let Some(class) = of(&REGISTERS) {
                let given = args.first().map(|arg| ExprRef(unit, arg.value));
                let mut values = given.map(|given| world.eval(given).to_vec()).unwrap_or_default();
                for lambda in world.lambdas_in_args(ExprRef(unit, *call)) {
                    values.extend(world.results(lambda, None));
                }
                // `builder.AddOpenAIClient("desk").AddChatClient("gpt-4.1-mini")`
                if let Some(model) = world.constant(&values).filter(|text| is_model_name(text)) {
                    let entry = made.entry(class.to_owned()).or_default();
                    entry.models.insert(Some(model));
                    continue;
                }
                (class, values)
            } else {
                continue;
            };
            for value in &values {
                let mut identity = world.identity_of(value, context, 1, unit);
                if identity.model.is_none() {
                    identity.model = named_on_the_way(world, value);
                }
                if identity.provider.is_some() || identity.model.is_some() {
                    let entry = made.entry(class.to_owned()).or_default();
                    entry.models.insert(identity.model);
                    entry.providers.insert(identity.provider);
                    entry.model_at = entry.model_at.or(identity.model_at);
                }
            }
        }
    }
}

/// The name of a model that a call on the way to an object is given: `GetChatClient("gpt-4.1-mini").AsIChatClient()`.
fn named_on_the_way(world: &World<'_>, value: &Value) -> Option<String> {
    let Value::Path(path) = value else { return None };
    path.calls()
        .filter_map(|call| world.constant(&world.argument(call, "#0")))
        .find(|text| is_model_name(text))
}

/// How objects of a class are made: by its name, or by a function that belongs to it (`WhisperContext::new_with_params(…)`).
fn made_of(made: &BTreeMap<String, Made>, class: &str) -> Made {
    let by_function = format!("{class}.");
    let functions = made
        .range(by_function.clone()..)
        .take_while(|(symbol, _)| symbol.starts_with(&by_function))
        .filter(|(symbol, _)| !symbol[by_function.len()..].contains(['.', '(']))
        .map(|(_, made)| made);
    let mut out = Made::default();
    for part in made.get(class).into_iter().chain(functions) {
        out.models.extend(part.models.iter().cloned());
        out.providers.extend(part.providers.iter().cloned());
        out.model_at = out.model_at.or(part.model_at);
    }
    out
}

fn name(found: &mut Found, made: &Made) {
    let Some(model) = made.model() else { return };
    if fits(model, found.call.provider.as_deref(), &found.path) {
        found.call.model_pinned = pinned(model);
        found.call.model = Some(model.to_owned());
        found.model_at = made.model_at;
    }
}

/// The only repository of the hub out of which a file of Rust takes weights: `Api::new()?.model(name)`, `Repo::new(name, …)`.
fn repository(world: &World<'_>, unit: u32) -> Option<String> {
    let index = world.index(unit);
    if !world.imports_begin_with(unit, "hf_hub") {
        return None;
    }
    let mut out: BTreeSet<String> = BTreeSet::new();
    for call in &index.calls {
        let Expr::Call { callee, .. } = index.module.expr(*call) else {
            continue;
        };
        let Expr::Member { name, .. } = index.module.expr(*callee) else {
            continue;
        };
        if !matches!(&**name, "model" | "new" | "with_revision") {
            continue;
        }
        let values = world.eval(ExprRef(unit, *callee));
        let of_hub = values.iter().any(|value| {
            matches!(value, Value::Path(path) if matches!(path.segs.first(), Some(Seg::Name(root)) if &**root == "hf_hub")
                && (path.has_name("Repo") || path.last_name() == Some("model")))
        });
        if of_hub {
            out.extend(world.constant(&world.argument(ExprRef(unit, *call), "#0")));
        }
    }
    let mut all = out.into_iter().filter(|name| is_model_name(name));
    all.next().filter(|_| all.next().is_none())
}

/// Whether a call asks a pool of engines of ML.NET, whose models have names of the project's own.
fn is_pool(found: &Found) -> bool {
    found.call.sdk.as_deref() == Some("ML.NET") && found.path.has_name("PredictionEnginePool")
}

/// The files that pools of engines of ML.NET are made of, with the names that the project gives them:
/// `.FromFile(modelName: "arrears", filePath: "models/arrears.zip")`.
fn pools(world: &World<'_>, found: &[Found]) -> Vec<(Option<String>, String)> {
    let mut out = Vec::new();
    if !found.iter().any(is_pool) {
        return out;
    }
    for (unit, other) in (0..).zip(&world.units) {
        if other.language != Language::CSharp || other.zone != Zone::Product {
            continue;
        }
        for call in &other.index.calls {
            let Expr::Call { callee, .. } = other.index.module.expr(*call) else {
                continue;
            };
            if !matches!(other.index.module.expr(*callee), Expr::Member { name, .. } if &**name == "FromFile") {
                continue;
            }
            let at = ExprRef(unit, *call);
            let given = |place: &str| world.constant(&world.argument(at, place));
            let file = ["filePath", "#1", "#0"]
                .into_iter()
                .filter_map(given)
                .find(|file| [".zip", ".onnx"].iter().any(|end| file.ends_with(end)));
            let name = given("modelName")
                .or_else(|| given("#0"))
                .filter(|name| Some(name) != file.as_ref());
            if let Some(file) = file {
                out.push((name, file.rsplit(['/', '\\']).next().unwrap_or(&file).to_owned()));
            }
        }
    }
    out
}

/// Names the file behind a pool: the one of the name that the call gives, else the only one.
fn take_file(world: &World<'_>, found: &mut Found, pools: &[(Option<String>, String)]) {
    let asked = world.constant(&world.argument(found.at, "modelName"));
    let file = match pools {
        [(_, only)] => Some(only),
        several => several
            .iter()
            .find(|(name, _)| asked.is_some() && *name == asked)
            .map(|(_, file)| file),
    };
    if let Some(file) = file {
        found.call.model_pinned = pinned(file);
        found.call.model = Some(file.clone());
    }
}
