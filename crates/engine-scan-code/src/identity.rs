//! Call identity: the provider and the model of a call.

use engine_catalogue::{HostKind, catalogue};
use rustc_hash::FxHashSet;

use crate::ManifestNames;
use crate::arguments::Site;
use crate::chosen_model::Chosen;
use crate::model_text::{is_model_name, is_preparation, model_of_constant};
use crate::origins::Origin;
use crate::shapes::{Family, Hit, Match, Sdk, Settled, find};
use crate::values::{ExprRef, Part, Path, Seg, Value, render};
use crate::world::World;
use engine_model::{CallKind, Language};
use engine_syntax::ir::Expr;
use std::collections::BTreeSet;

/// Names under which libraries take a model.
const MODEL_KEYS: [&str; 29] = [
    "model",
    "model_name",
    "modelName",
    "model_id",
    "modelId",
    "Model",
    "ModelName",
    "ModelId",
    "modelID",
    "engine",
    "deployment_name",
    "azure_deployment",
    "deployment",
    "deploymentName",
    "azureOpenAIApiDeploymentName",
    "deployment_id",
    "model_path",
    "modelPath",
    "repo_id",
    "llm",
    "ModelID",
    "llmModel",
    "DeploymentName",
    "foundation_model",
    "embedding_model",
    "chatModel",
    "model_slug",
    "withModel",
    "defaultModel",
];

/// Names under which libraries take an address.
const HOST_KEYS: [&str; 21] = [
    "base_url",
    "baseURL",
    "baseUrl",
    "azure_endpoint",
    "endpoint",
    "api_base",
    "openai_api_base",
    "basePath",
    "host",
    "server_url",
    "serverURL",
    "api_url",
    "apiUrl",
    "url",
    "Endpoint",
    "BaseURL",
    "openAIBasePath",
    "configuration",
    "api_host",
    "with_api_base",
    "BaseAddress",
];

/// How deep models are looked for in what a call was given.
const DEPTH_MAX: u32 = 5;

/// Lists and maps in one another that are looked into for one call.
const CARRIED_MAX: u32 = 1_000;

/// Values that are asked who stands behind them, for one call: an answer that is sent on again and again would otherwise
/// be followed along every one of its ways.
const ASKED_MAX: u32 = 200;

/// What is known of who answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    /// Where the name is written, if it ends and that was seen.
    pub(crate) model_at: Option<Origin>,
    /// Other models that may stand in its place: a default that one caller overrides, one model for each of several callers.
    pub(crate) further: Vec<String>,
    pub(crate) host: Option<String>,
    /// Whether the provider is only the usual one of the library.
    pub(crate) assumed: bool,
    /// The address of a request without a library, as far as it is known.
    pub(crate) address: Option<String>,
    /// What the shape says that the call gives.
    pub(crate) output: Option<crate::shapes::Output>,
}

/// Whether a text is the name of a file that holds weights.
fn is_weights(name: &str) -> bool {
    [
        ".gguf",
        ".ggml",
        ".onnx",
        ".pt",
        ".pth",
        ".bin",
        ".h5",
        ".keras",
        ".joblib",
        ".pkl",
        ".tflite",
        ".task",
        ".safetensors",
    ]
    .iter()
    .any(|ending| name.ends_with(ending))
}

/// Whether a text names a model that everybody knows, and another one than is told already.
pub(crate) fn is_other_model(out: &Identity, text: &str) -> bool {
    out.further.len() < FURTHER_MAX
        && out.model.as_deref().is_some_and(|model| model != text)
        && !out.further.iter().any(|known| known == text)
        && is_model_name(text)
        && catalogue().model(text).is_some()
}

/// Models that are told of one call beside the first.
const FURTHER_MAX: usize = 6;

/// Items imported by a unit and the manifest: what settles ambiguous roots.
pub(crate) struct Context<'a> {
    pub(crate) manifest: &'a ManifestNames,
    pub(crate) items: Vec<FxHashSet<&'a str>>,
    /// Items imported by any unit.
    pub(crate) all: FxHashSet<&'a str>,
}

impl World<'_> {
    /// The shape that the path of a callee fits, seen from a unit.
    pub(crate) fn shape(&self, unit: u32, path: &Path, context: &Context<'_>) -> Option<Match> {
        let family = Family::of(self.unit(unit).language)?;
        // What another file hands on was imported there.
        let own = matches!(path.segs.first(), Some(Seg::Name(first)) if self.imports_begin_with(unit, first));
        let settled = Settled {
            manifest: context.manifest,
            items: if own || path.root == crate::values::Root::Global {
                &context.items[unit as usize]
            } else {
                &context.all
            },
        };
        find(family, path, &settled)
    }

    /// Who answers a call that fits a shape.
    pub(crate) fn identify(&self, site: &Site<'_>, hit: Match, context: &Context<'_>, depth: u32) -> Identity {
        let mut out = Identity::default();
        let mut carried = Identity::default();
        if depth == 0 {
            self.asked.set(0);
            self.known.carried.set(0);
        }
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > ASKED_MAX {
            return out;
        }
        // The model's name, where the library usually takes it.
        for reference in &hit.shape.model {
            if out.model.is_some() {
                break;
            }
            let mut values = self.refer(site, reference);
            if values.is_empty()
                && matches!(
                    hit.shape.hit,
                    Hit::Place(CallKind::Construct | CallKind::ModelLoad | CallKind::Declare)
                )
                && let Some(own) = reference.strip_prefix("construct:")
            {
                values = self.refer(site, own);
            }
            self.model_from(&values, &mut out, &mut carried, context, depth, site.at.0);
        }
        if out.model.is_none() {
            let values = self.named(site, &MODEL_KEYS);
            self.model_from(&values, &mut out, &mut carried, context, depth, site.at.0);
        }
        let named = |path: &Path| {
            path.segs.iter().rev().find_map(|seg| match seg {
                Seg::Name(name) => hit.sdk.providers.get(&**name).cloned().or_else(|| {
                    hit.sdk
                        .providers
                        .iter()
                        .filter(|(key, _)| key.contains('/'))
                        .find(|(key, _)| name.starts_with(key.as_str()))
                        .map(|(_, provider)| provider.clone())
                }),
                _ => None,
            })
        };
        let mut by_name = named(site.path);
        // What is put into a memory was said by whatever model; which one keeps it is the business of the service.
        if depth < DEPTH_MAX && !matches!(hit.sdk.name.as_str(), "mem0ai" | "@mem0/vercel-ai-provider") {
            self.carried(site, &mut carried, context, depth);
        }
        // A configuration that a client was handed may name the provider: `DefaultAzureConfig(…)`, `AzureConfig::new()`.
        if by_name.is_none() && !hit.sdk.providers.is_empty() {
            for call in std::iter::once(site.at).chain(site.path.calls()).take(8) {
                for position in ["#0", "#1"] {
                    by_name = by_name.or_else(|| {
                        self.argument(call, position).iter().find_map(|value| match value {
                            Value::Path(path) => named(path),
                            _ => None,
                        })
                    });
                }
            }
        }
        // The first version of the library was pointed to another cloud by a global.
        if hit.sdk.name == "openai"
            && self
                .constant(&self.set_on_object(site.at, "api_type"))
                .is_some_and(|kind| kind.starts_with("azure"))
        {
            by_name = Some("azure-openai".to_owned());
        }
        // Providers may also be named by what a builder was given: `AddOpenAIChatCompletion`.
        if by_name.is_none() && !hit.sdk.providers.is_empty() {
            by_name = self.named_by_steps(site, hit.sdk);
        }
        if let Some(chosen) = self.chosen_service(site, &hit.sdk.name) {
            by_name = Some(chosen);
        }
        let host = self.host_of(site);
        if depth == 0 && hit.sdk.name == "crewai" && out.model.is_none() && carried.model.is_none() {
            let values = self.model_of_agents(site);
            self.model_from(&values, &mut out, &mut carried, context, depth, site.at.0);
        }
        if out.model.is_none() {
            out.model.clone_from(&carried.model);
            out.model_at = carried.model_at;
        }
        let strict = hit
            .shape
            .provider
            .clone()
            .or(by_name)
            .or_else(|| hit.sdk.provider.clone());
        out.provider = match &host {
            Some((Some(provider), _)) => Some(provider.clone()),
            Some((None, _)) if strict.as_deref() == Some("openai") => Some("openai-compatible".to_owned()),
            _ => strict.or_else(|| carried.provider.clone()),
        };
        out.host = host.and_then(|(_, host)| host).or_else(|| carried.host.clone());
        if carried.host.is_some() && carried.provider.is_some() && hit.sdk.construct_like() {
            out.provider.clone_from(&carried.provider);
        }
        if out.provider.is_none()
            && let Some(model) = &out.model
            && let Some(info) = catalogue().model(model)
        {
            out.provider = Some(info.via.unwrap_or(info.provider).to_owned());
        }
        if out.provider.is_none() {
            out.provider.clone_from(&hit.sdk.fallback);
            out.assumed = true;
        }
        if let Some(model) = &out.model {
            match self.model_of_branch(site.at, &MODEL_KEYS, model) {
                Chosen::Nothing => {}
                Chosen::Unknown => {
                    out.model = None;
                    out.further.clear();
                }
                Chosen::Model(allowed) => {
                    out.model = Some(allowed);
                    out.further.clear();
                }
            }
        }
        if depth == 0 && out.model.is_none() && hit.sdk.provider.as_deref() == Some("local") {
            out.model = self.file_read_for(site);
        }
        // A file of weights is named by its last part.
        if let Some(model) = &out.model
            && model.contains('/')
            && is_weights(model)
        {
            out.model = model.rsplit('/').next().map(str::to_owned);
        }
        if let Some(model) = &out.model
            && let Some((prefix, rest)) = model.split_once(':')
            && !rest.is_empty()
            && rest.len() > 3
            && prefix.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-')
            && catalogue().provider(prefix).is_some()
        {
            out.model = Some(rest.to_owned());
        }
        // A prefix before a name that is not known says who answers, and no more: `f"openai:{name}"`.
        if let Some(model) = &out.model
            && let Some(prefix) = model.strip_suffix("{}")
            && let Some(prefix) = prefix.strip_suffix([':', '/'])
            && let Some(known) = catalogue().provider(&prefix.replace('_', "-"))
        {
            if out.provider.is_none() || out.assumed {
                out.provider = Some(known.id.clone());
                out.assumed = false;
            }
            out.model = None;
        }
        if out.model_at.is_none()
            && let Some(model) = &out.model
        {
            out.model_at = self.origins.of(model);
        }
        out
    }

    /// The service that an argument of a client chooses: `Client(vertexai=True)`, `init_chat_model(…, model_provider="azure_openai")`,
    /// `$agent->prompt($text, provider: 'ollama')`.
    fn chosen_service(&self, site: &Site<'_>, sdk: &str) -> Option<String> {
        let google = matches!(sdk, "google-genai" | "@google/genai");
        let keys: &[&str] = match sdk {
            "langchain" => &["model_provider", "#1.modelProvider"],
            "laravel-ai" => &["provider"],
            _ if google => &[],
            _ => return None,
        };
        std::iter::once(site.at)
            .chain(site.path.calls())
            .take(8)
            .find_map(|call| {
                if google {
                    let on = ["vertexai", "#0.vertexai"]
                        .iter()
                        .any(|key| self.argument(call, key).contains(&Value::Bool(true)))
                        || self.argument(call, "#1.Backend").iter().any(
                            |value| matches!(value, Value::Path(path) if path.last_name() == Some("BackendVertexAI")),
                        );
                    return on.then(|| "google-vertex".to_owned());
                }
                let named = keys.iter().find_map(|key| {
                    let given = self.argument(call, key);
                    // `provider: Lab::Ollama`
                    let of_list = || match given.first() {
                        Some(Value::Path(path)) => path.last_name().map(str::to_ascii_lowercase),
                        _ => None,
                    };
                    self.constant(&given).or_else(of_list)
                })?;
                Some(match named.as_str() {
                    "azure_openai" => "azure-openai".to_owned(),
                    "google_genai" => "google".to_owned(),
                    "google_vertexai" | "google_anthropic_vertex" => "google-vertex".to_owned(),
                    "bedrock" | "bedrock_converse" => "aws-bedrock".to_owned(),
                    "mistralai" => "mistral".to_owned(),
                    other => catalogue().provider(&other.replace('_', "-"))?.id.clone(),
                })
            })
    }

    /// The values given under one of several names, in a call or in those before it on its path.
    fn named(&self, site: &Site<'_>, keys: &[&str]) -> Vec<Value> {
        let calls = std::iter::once(site.at).chain(site.path.calls());
        for call in calls {
            for key in keys {
                let values = self.argument(call, key);
                if !values.is_empty() {
                    return values;
                }
            }
            if let Expr::Call { args, .. } = self.expr(call) {
                for arg in args.iter().filter(|arg| arg.name.is_none()).take(3) {
                    for value in self.expand(&self.eval(ExprRef(call.0, arg.value))) {
                        if !matches!(value, Value::Literal(_) | Value::Path(_) | Value::Instance(..)) {
                            continue;
                        }
                        for key in keys {
                            let values = self.key(&value, key);
                            if !values.is_empty() {
                                return values;
                            }
                        }
                    }
                }
            }
        }
        let language = self.unit(site.at.0).language;
        if crate::project::is_jvm(language) || language == Language::CSharp {
            let mut near = vec![site.at];
            if let Expr::Call { args, .. } = self.expr(site.at) {
                for arg in args.iter().take(3) {
                    let given = ExprRef(site.at.0, arg.value);
                    if let Expr::Call { .. } = self.expr(given) {
                        near.push(given);
                    } else if let Expr::Name(_) = self.expr(given) {
                        // A request that was put together before: `val request = chatCompletionRequest { model = ModelId("…") }`.
                        near.extend(self.eval(given).iter().find_map(|value| match value {
                            Value::Path(path) => match path.segs.last() {
                                Some(Seg::Call(made)) => Some(*made),
                                _ => None,
                            },
                            _ => None,
                        }));
                    }
                }
            }
            for call in near {
                let values = self.given_in_lambdas(call, keys);
                if !values.is_empty() {
                    return values;
                }
            }
        }
        // Fields that were set on the client after it was made.
        if let Expr::Call { callee, .. } = self.expr(site.at)
            && let Expr::Member { object, .. } = self.module(site.at.0).expr(*callee)
        {
            for key in keys.iter().chain(&["SelectedModel"]) {
                let values = self.set_later(ExprRef(site.at.0, *object), key);
                if !values.is_empty() {
                    return values;
                }
            }
        }
        // Options as functions: `ollama.New(ollama.WithModel("llama3"))`.
        for call in std::iter::once(site.at).chain(site.path.calls()) {
            let Expr::Call { args, .. } = self.expr(call) else {
                continue;
            };
            for arg in args.iter().take(8) {
                for value in self.eval(ExprRef(call.0, arg.value)).iter() {
                    if let Value::Path(path) = value
                        && let Some(name) = path.last_name()
                        && let Some(bare) = name.strip_prefix("With").or_else(|| name.strip_prefix("with_"))
                        && keys.iter().any(|key| key.eq_ignore_ascii_case(bare))
                        && let Some(made) = path.calls().next()
                    {
                        return self.argument(made, "#0");
                    }
                }
            }
        }
        for (name, call) in site.path.steps() {
            if keys.contains(&name) {
                let values = self.argument(call, "#0");
                if !values.is_empty() {
                    return values;
                }
            }
        }
        Vec::new()
    }

    /// Takes the model's name from values: a text, a constant of an enumeration, or an object that stands for a model.
    fn model_from(
        &self,
        values: &[Value],
        out: &mut Identity,
        carried: &mut Identity,
        context: &Context<'_>,
        depth: u32,
        unit: u32,
    ) {
        // Of several files that one function loads, those that prepare the input of a model are none.
        let is_model = |value: &Value| matches!(value, Value::Text(parts) if !is_preparation(&render(parts)));
        let several = values.iter().any(is_model);
        for value in values {
            match value {
                // The first argument of a chain may be what finds its texts.
                Value::Path(path) if depth == 0 && is_finder(path) => {}
                Value::Text(_) if several && !is_model(value) => {}
                Value::Text(parts) => {
                    let text = render(parts);
                    if out.model.is_none() && is_model_name(&text) {
                        self.origins.note(parts);
                        out.model = Some(text);
                    } else if is_other_model(out, &text) {
                        self.origins.note(parts);
                        out.further.push(text);
                    }
                }
                // Go marks what is set: `openai.F(openai.AudioModelWhisper1)`.
                Value::Path(path)
                    if self.module(unit).language == Language::Go
                        && depth < DEPTH_MAX
                        && matches!(path.last_name(), Some("F" | "String" | "NewOpt" | "Opt" | "Ptr")) =>
                {
                    if let Some(made) = path.calls().next() {
                        let values = self.argument(made, "#0");
                        self.model_from(&values, out, carried, context, depth + 1, unit);
                    }
                }
                Value::Path(path) => {
                    if let Some(name) = named_constant(path) {
                        if out.model.is_none() {
                            out.model = model_of_constant(name);
                        }
                    } else if out.model.is_none() && depth < DEPTH_MAX {
                        let found = self.identity_of(value, context, depth + 1, unit);
                        merge(carried, &found);
                        out.model_at = found.model_at;
                        out.model = found.model.or_else(|| match self.default_of_setting(path) {
                            Chosen::Model(model) => Some(model),
                            Chosen::Unknown => self.file_in(value),
                            Chosen::Nothing => self
                                .constant(std::slice::from_ref(value))
                                .map(|text| self.beside_preparation(path, text))
                                .filter(|text| is_model_name(text))
                                .or_else(|| self.file_in(value)),
                        });
                        if depth == 0 && out.model.is_some() && matches!(path.root, crate::values::Root::Param(..)) {
                            for parts in self.texts(&self.expand(std::slice::from_ref(value))) {
                                let text = render(&parts);
                                if is_other_model(out, &text) {
                                    out.further.push(text);
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The file of a model in what a runtime is made with: `Interpreter(read(context))`, `Interpreter(File(dir, "falls.tflite"))`.
    fn file_read_for(&self, site: &Site<'_>) -> Option<String> {
        std::iter::once(site.at)
            .chain(site.path.calls())
            .take(8)
            .find_map(|call| self.file_given(call, 0))
    }

    fn file_given(&self, call: ExprRef, depth: u32) -> Option<String> {
        /// Arguments of a call, and calls of a builder, that are looked at.
        const GIVEN_MAX: usize = 3;
        const WITHIN_MAX: u32 = 2;
        let Expr::Call { args, .. } = self.expr(call) else {
            return None;
        };
        args.iter().take(GIVEN_MAX).find_map(|arg| {
            let given = ExprRef(call.0, arg.value);
            if matches!(self.expr(given), Expr::Call { .. })
                && let [reader] = self.callees(given)[..]
            {
                return self.known_or(&self.known.files_named, reader, || self.only_file_in(reader));
            }
            self.eval(given).iter().find_map(|value| match value {
                Value::Text(parts) => {
                    let text = render(parts);
                    let name = text.rsplit(['/', '\\']).next()?;
                    (depth > 0 && is_weights(name) && !name.contains("{}") && is_model_name(name))
                        .then(|| name.to_owned())
                }
                Value::Path(path) if depth < WITHIN_MAX => path
                    .calls()
                    .take(GIVEN_MAX)
                    .find_map(|call| self.file_given(call, depth + 1)),
                _ => None,
            })
        })
    }

    /// The only file of a model that the calls of a function name.
    fn only_file_in(&self, function: crate::values::FunctionRef) -> Option<String> {
        let index = self.index(function.0);
        let mut out: BTreeSet<String> = BTreeSet::new();
        for call in index.calls_of(Some(function.1)) {
            let Expr::Call { args, .. } = index.module.expr(call) else {
                continue;
            };
            out.extend(args.iter().filter_map(|arg| match index.module.expr(arg.value) {
                Expr::Str(text) if is_weights(text) => text.rsplit('/').next().map(str::to_owned),
                _ => None,
            }));
        }
        let mut all = out.into_iter().filter(|name| is_model_name(name));
        all.next().filter(|_| all.next().is_none())
    }

    /// The file of a model of which only the folder is not known: `path.join(dir, "plates.onnx")`.
    fn file_in(&self, value: &Value) -> Option<String> {
        let text = render(&self.text(std::slice::from_ref(value))?);
        let name = text.rsplit(['/', '\\']).next()?;
        (is_weights(name) && !name.contains("{}") && is_model_name(name)).then(|| name.to_owned())
    }

    /// Who stands behind a value that was made by a library.
    pub(crate) fn identity_of(&self, value: &Value, context: &Context<'_>, depth: u32, unit: u32) -> Identity {
        let Value::Path(path) = value else {
            return Identity::default();
        };
        let key = (value.clone(), depth, unit);
        let plain = self.is_plain();
        if let Some(known) = self.known.identities.get(&key).filter(|_| plain) {
            return known;
        }
        let found = self.identity_of_path(path, context, depth, unit);
        // What was not asked to its end may say more another time.
        if plain && self.asked.get() <= ASKED_MAX {
            self.known.identities.put(key, found.clone());
        }
        found
    }

    fn identity_of_path(&self, path: &Path, context: &Context<'_>, depth: u32, unit: u32) -> Identity {
        let mut short = path.clone();
        while let Some(last) = short.segs.pop() {
            let at = match last {
                Seg::Call(at) => Some(at),
                Seg::Typed => None,
                _ => continue,
            };
            if let Some(hit) = self.shape(unit, &short, context)
                && matches!(hit.shape.hit, Hit::Place(_))
            {
                let Some(at) = at else {
                    return Identity {
                        provider: hit
                            .shape
                            .provider
                            .clone()
                            .or_else(|| {
                                short.segs.iter().rev().find_map(|seg| match seg {
                                    Seg::Name(name) => hit.sdk.providers.get(&**name).cloned(),
                                    _ => None,
                                })
                            })
                            .or_else(|| hit.sdk.provider.clone()),
                        ..Identity::default()
                    };
                };
                return self.identify(&Site { at, path: &short }, hit, context, depth);
            }
        }
        // Not a shape of its own: what it was made from may be one.
        let mut out = Identity::default();
        if depth < DEPTH_MAX {
            for call in path.calls().take(6) {
                self.carried_in(call, &mut out, context, depth + 1);
            }
        }
        out
    }

    /// Models inside of what the calls of a path were given.
    fn carried(&self, site: &Site<'_>, out: &mut Identity, context: &Context<'_>, depth: u32) {
        self.carried_in(site.at, out, context, depth + 1);
        for call in site.path.calls().take(8) {
            self.carried_in(call, out, context, depth + 1);
        }
    }

    fn carried_in(&self, call: ExprRef, out: &mut Identity, context: &Context<'_>, depth: u32) {
        if depth > DEPTH_MAX || (out.provider.is_some() && out.model.is_some()) {
            return;
        }
        let parts: Vec<ExprRef> = match self.expr(call) {
            Expr::Call { args, .. } => args.iter().map(|arg| ExprRef(call.0, arg.value)).collect(),
            Expr::Other(parts) => parts.iter().map(|part| ExprRef(call.0, *part)).collect(),
            _ => return,
        };
        self.carried_by_each(parts.into_iter().take(16), out, context, depth);
    }

    /// Who stands behind one of several parts. What finds texts has a model of its own, which answers nothing: it counts where nothing else tells one.
    fn carried_by_each(
        &self,
        parts: impl Iterator<Item = ExprRef>,
        out: &mut Identity,
        context: &Context<'_>,
        depth: u32,
    ) {
        let (finders, others): (Vec<ExprRef>, Vec<ExprRef>) = parts.partition(|part| self.finds_texts(*part));
        let before = (out.provider.is_some(), out.model.is_some());
        let is_given = |part: &ExprRef| {
            matches!(
                self.expr(*part),
                Expr::Name(_) | Expr::Member { .. } | Expr::Index { .. } | Expr::Call { .. }
            )
        };
        // What writes is handed over beside what finds, and was not told: the name of the model that finds is not its name.
        let writes = others.iter().any(is_given);
        for part in others {
            self.carried_by(part, out, context, depth);
        }
        if before == (out.provider.is_some(), out.model.is_some()) {
            for part in finders {
                let mut found = Identity::default();
                self.carried_by(part, &mut found, context, depth);
                if writes {
                    found.model = None;
                    found.model_at = None;
                }
                merge(out, &found);
            }
        }
    }

    /// Whether an expression stands for what looks texts up by their vectors: a retriever of `LangChain`, or the store behind it.
    fn finds_texts(&self, part: ExprRef) -> bool {
        let values = self.expand(&self.eval(part));
        let mut made = values.iter().filter_map(|value| match value {
            Value::Path(path) if path.calls().next().is_some() => Some(&**path),
            _ => None,
        });
        made.clone().next().is_some() && made.all(is_finder)
    }

    fn carried_by(&self, part: ExprRef, out: &mut Identity, context: &Context<'_>, depth: u32) {
        if depth > DEPTH_MAX || (out.provider.is_some() && out.model.is_some()) {
            return;
        }
        let values = self.expand(&self.eval(part));
        for value in &values {
            match value {
                // What a model answered is data, and stands for no model: a text that is read aloud was written by another.
                Value::Path(path) if self.is_answer(path, context, part.0) => {}
                Value::Path(path) if path.segs.iter().any(|seg| matches!(seg, Seg::Call(_) | Seg::Typed)) => {
                    let found = self.identity_of(value, context, depth + 1, part.0);
                    merge(out, &found);
                }
                Value::Literal(_) => {
                    self.known.carried.set(self.known.carried.get() + 1);
                    if self.known.carried.get() > CARRIED_MAX {
                        return;
                    }
                    if out.model.is_none()
                        && let Some(model) = self.constant(&self.key(value, "model"))
                        && is_model_name(&model)
                        && catalogue().model(&model).is_some()
                    {
                        out.model = Some(model);
                    }
                    // `{ transcriber: { model }, model: { model } }`: the part that is called a model is meant.
                    if out.model.is_none()
                        && let Some(model) = self.key(value, "model").iter().find_map(|inner| {
                            matches!(inner, Value::Literal(_))
                                .then(|| self.constant(&self.key(inner, "model")))
                                .flatten()
                        })
                        && is_model_name(&model)
                        && catalogue().model(&model).is_some()
                    {
                        out.model = Some(model);
                    }
                    let elements = self.elements(value);
                    self.carried_by_each(elements.into_iter().take(12), out, context, depth + 1);
                }
                Value::Instance(class, Some(made)) if depth + 1 < DEPTH_MAX => {
                    let _ = class;
                    self.carried_in(*made, out, context, depth + 2);
                }
                _ => {}
            }
        }
    }

    /// Whether a value is what a call of a model gave: what an assistant or a thread was made with stands for its model.
    fn is_answer(&self, path: &Path, context: &Context<'_>, unit: u32) -> bool {
        let mut short = path.clone();
        while let Some(last) = short.segs.pop() {
            if matches!(last, Seg::Call(_) | Seg::Typed)
                && let Some(hit) = self.shape(unit, &short, context)
                && let Hit::Place(kind) = hit.shape.hit
            {
                let keeps = |part: &str| short.symbol().to_ascii_lowercase().contains(part);
                return kind == CallKind::Call
                    && matches!(last, Seg::Call(_))
                    && !["assistant", "agent", "thread", "session", "cache"]
                        .iter()
                        .any(|part| keeps(part));
            }
        }
        false
    }

    /// The provider that a method is named after which is called beside the making of an object on a path, in the same
    /// function.
    fn named_by_steps(&self, site: &Site<'_>, sdk: &Sdk) -> Option<String> {
        site.path.calls().find_map(|call| {
            let function = self.function_of(call).map(|function| function.1);
            let key = ((call.0, function), std::ptr::from_ref(sdk).addr());
            self.known.step_provider.get_or(key, || {
                let index = self.index(call.0);
                index.calls.iter().find_map(|other| {
                    let Expr::Call { callee, .. } = index.module.expr(*other) else {
                        return None;
                    };
                    let Expr::Member { name, .. } = index.module.expr(*callee) else {
                        return None;
                    };
                    // Elsewhere than in C#, a capital begins another client and not a step of this one.
                    let step = self.unit(call.0).language == Language::CSharp || !name.starts_with(char::is_uppercase);
                    let provider = sdk.providers.get(&**name).filter(|_| step)?;
                    (index.function_of(*other) == function).then(|| provider.clone())
                })
            })
        })
    }

    /// The provider of the address that a client was given, and the host; `None` when none was given.
    fn host_of(&self, site: &Site<'_>) -> Option<(Option<String>, Option<String>)> {
        let mut values = Vec::new();
        for call in std::iter::once(site.at).chain(site.path.calls()) {
            values = self.host_values(call);
            if !values.is_empty() {
                break;
            }
        }
        if values.is_empty() {
            for (name, call) in site.path.steps() {
                if HOST_KEYS.contains(&name) || matches!(name, "with_api_base" | "endpoint_url" | "baseUri") {
                    values = self.argument(call, "#0");
                    break;
                }
            }
        }
        // A client of Rust that was told an address asks there, whatever it is.
        if values.is_empty() && self.unit(site.at.0).language == Language::Rust && self.is_told_an_address(site) {
            return Some((None, None));
        }
        let parts = self.text(&values)?;
        // An address that is read from elsewhere may be anybody's.
        let read = values.iter().all(|value| {
            matches!(value, Value::Path(path) if path.root == crate::values::Root::Import && path.calls().next().is_some())
        });
        if read && !parts.iter().any(|part| matches!(part, Part::Known(_))) {
            return Some((None, None));
        }
        let text = render(&parts);
        host_provider(&text, &parts)
    }

    fn host_values(&self, call: ExprRef) -> Vec<Value> {
        for key in HOST_KEYS {
            if matches!(key, "url" | "host" | "configuration") {
                continue;
            }
            let values = self.argument(call, key);
            if !values.is_empty() {
                return values;
            }
        }
        if let Expr::Call { args, .. } = self.expr(call) {
            for arg in args.iter().take(3) {
                for key in HOST_KEYS {
                    let values = self.set_later(ExprRef(call.0, arg.value), key);
                    if !values.is_empty() {
                        return values;
                    }
                }
            }
        }
        for position in ["#0", "#1"] {
            for value in self.argument(call, position) {
                for key in HOST_KEYS {
                    let found = match &value {
                        Value::Literal(_) => self.key(&value, key),
                        Value::Path(path)
                            if path.steps().any(|(name, _)| HOST_KEYS.contains(&name))
                                || path.calls().any(|call| self.names_address(call)) =>
                        {
                            self.key(&value, key)
                        }
                        _ => Vec::new(),
                    };
                    if key == "configuration" {
                        for inner in &found {
                            let values = self.key(inner, "baseURL");
                            if !values.is_empty() {
                                return values;
                            }
                        }
                    } else if !found.is_empty() {
                        return found;
                    }
                }
                // `option.WithBaseURL("…")` stands beside the key.
                if let Value::Path(path) = &value
                    && matches!(path.last_name(), Some("WithBaseURL" | "Uri"))
                    && let Some(made) = path.calls().next()
                {
                    return self.argument(made, "#0");
                }
            }
        }
        Vec::new()
    }

    /// Whether a client, or the configuration that it was handed, was told an address in a step of its own.
    fn is_told_an_address(&self, site: &Site<'_>) -> bool {
        const TOLD: &str = "with_api_base";
        let told = |path: &Path| path.steps().any(|(name, _)| name == TOLD);
        told(site.path)
            || std::iter::once(site.at).chain(site.path.calls()).take(8).any(|call| {
                let given = self.argument(call, "#0");
                !given.is_empty()
                    && given
                        .iter()
                        .all(|value| matches!(value, Value::Path(path) if told(path)))
            })
    }

    /// Whether an object of options is made with an address by name.
    fn names_address(&self, call: ExprRef) -> bool {
        matches!(self.expr(call), Expr::Call { args, new: true, .. }
            if args.iter().any(|arg| arg.name.as_deref().is_some_and(|name| HOST_KEYS.contains(&name))))
    }

    /// Names of the tools that a call or the agent behind it was given.
    pub(crate) fn tools(&self, site: &Site<'_>) -> Vec<String> {
        let mut values = self.named(
            site,
            &["tools", "functions", "Tools", "toolConfig", "tool_config", "plugins"],
        );
        if values.is_empty() {
            // The agent that a runner was handed.
            for position in ["#0", "agent", "starting_agent", "#0.agent"] {
                for value in self.argument(site.at, position) {
                    values.extend(self.key(&value, "tools"));
                }
            }
        }
        if values.is_empty()
            && let Some((_, call)) = site
                .path
                .steps()
                .find(|(name, _)| matches!(*name, "bind_tools" | "bindTools" | "tools" | "tool" | "defaultTools"))
        {
            values = self.argument(call, "#0");
        }
        let mut out = BTreeSet::new();
        for value in &values {
            for element in self.elements(value) {
                out.extend(self.tool_name(element, value));
            }
            if let Value::Literal(at) = value
                && let Expr::Map(entries) = self.expr(*at)
            {
                out.extend(
                    entries
                        .iter()
                        .filter_map(|entry| entry.key)
                        .filter_map(|key| self.key_text(ExprRef(at.0, key))),
                );
            }
        }
        out.into_iter().take(40).collect()
    }

    fn tool_name(&self, at: ExprRef, list: &Value) -> Option<String> {
        if let Value::Literal(literal) = list
            && matches!(self.expr(*literal), Expr::Map(_))
        {
            return None;
        }
        let values = self.eval(at);
        for value in values.iter() {
            match value {
                Value::Function(function) => {
                    if let Some(name) = &self.function(*function).name {
                        return Some(name.to_string());
                    }
                }
                Value::Literal(_) => {
                    for key in ["name", "type"] {
                        let mut inner = self.key(value, "function");
                        inner.push(value.clone());
                        for holder in &inner {
                            if let Some(name) = self.constant(&self.key(holder, key)) {
                                return Some(name);
                            }
                        }
                    }
                }
                Value::Path(path) => {
                    if let Some(call) = path.calls().next() {
                        for key in ["name", "#0.name", "#1.name"] {
                            if let Some(name) = self.constant(&self.argument(call, key)) {
                                return Some(name);
                            }
                        }
                    }
                    return path.last_name().map(str::to_owned);
                }
                Value::Class(class) | Value::Instance(class, _) => {
                    return self.module(class.0).class(class.1).name.as_deref().map(str::to_owned);
                }
                _ => {}
            }
        }
        match self.expr(at) {
            Expr::Name(name) => Some(name.to_string()),
            _ => None,
        }
    }
}

impl Sdk {
    /// Whether the library wraps clients of others, so that their address counts.
    fn construct_like(&self) -> bool {
        self.provider.is_none()
    }
}

fn merge(into: &mut Identity, from: &Identity) {
    if into.provider.is_none() && !from.assumed {
        into.provider.clone_from(&from.provider);
    }
    if into.model.is_none() {
        into.model.clone_from(&from.model);
        into.model_at = from.model_at;
    }
    if into.host.is_none() {
        into.host.clone_from(&from.host);
    }
}

/// The constant that a path ends with, or that it asks for its value: `ChatModel.GPT_4_1`, `ChatModel.GPT_4_1.getValue()`.
fn named_constant(path: &Path) -> Option<&str> {
    const ASKS: [&str; 4] = ["getValue", "value", "getName", "asString"];
    match path.segs.as_slice() {
        [_, .., Seg::Name(name)] => Some(name),
        [_, .., Seg::Name(name), Seg::Name(asks), Seg::Call(_)] if ASKS.contains(&&**asks) => Some(name),
        _ => None,
    }
}

/// Whether a path leads to a retriever or to a store of vectors.
fn is_finder(path: &Path) -> bool {
    path.segs.iter().any(|seg| {
        matches!(seg, Seg::Name(name) if matches!(&**name, "as_retriever" | "asRetriever")
            || name.ends_with("Retriever")
            || name.ends_with("VectorStore"))
    })
}

/// The provider that an address tells: that of a known host, `local` for this machine, none for an unknown host.
pub(crate) fn host_provider(text: &str, parts: &[Part]) -> Option<(Option<String>, Option<String>)> {
    let known = parts
        .iter()
        .any(|part| matches!(part, Part::Known(text) if text.len() > 3));
    if !known {
        return parts
            .iter()
            .any(|part| matches!(part, Part::Env(_)))
            .then_some((None, None));
    }
    let name = host_name(text);
    if let Some(host) = catalogue().host(text)
        && host.kind != HostKind::Telemetry
    {
        // A port alone names a server only on this machine, and only where no other server shares it.
        let port_only = host.kind == HostKind::Local && host.host == "localhost";
        if !port_only || (is_loopback(&name) && matches!(host.provider.as_str(), "ollama" | "lmstudio")) {
            // Whoever made the server, what runs on this machine is its own.
            let provider = if port_only && host.provider == "lmstudio" {
                "local".to_owned()
            } else {
                host.provider.clone()
            };
            return Some((Some(provider), Some(name)));
        }
    }
    if is_loopback(&name) {
        return Some((Some("local".to_owned()), Some(name)));
    }
    if text.contains("/openai/deployments") || text.contains(".openai.azure.com") {
        return Some((Some("azure-openai".to_owned()), Some(name)));
    }
    let host = (!name.is_empty() && !name.contains("{}")).then_some(name);
    Some((None, host))
}

/// The host of an address, without scheme, port and path.
pub(crate) fn host_name(text: &str) -> String {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    host.rsplit_once(':').map_or(host, |(name, _)| name).to_owned()
}

/// Whether a host is this machine.
pub(crate) fn is_loopback(name: &str) -> bool {
    matches!(
        name,
        "localhost" | "127.0.0.1" | "0.0.0.0" | "[::1]" | "host.docker.internal" | "::1"
    )
}
