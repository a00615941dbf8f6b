//! Code that trains a language model, publishes its weights, or runs code that came with a model.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::{Language, StatementKind};
use engine_syntax::ir::{Arg, Expr, ExprId, Module, Pattern, StmtKind};

use crate::read::Out;

/// A file without any of these holds nothing that is looked for.
const LITERALS: &[&str] = &[
    "push_to_hub",
    "upload_folder",
    "trust_remote_code",
    "Trainer",
    "CausalLM",
    "FastLanguageModel",
    "safe_serialization",
    "lm_eval",
    "lighteval",
    "inspect_ai",
    "garak",
    "pyrit",
    "deepeval",
    "total_flos",
    "flop",
    "codecarbon",
    "estimate_mfu",
];

/// Libraries that train language models.
const TRAINING_LIBRARIES: &[&str] = &[
    "transformers",
    "trl",
    "peft",
    "unsloth",
    "litgpt",
    "torchtune",
    "torchtitan",
    "nanotron",
    "megatron",
    "axolotl",
    "lightning",
    "deepspeed",
];
/// Libraries that measure or attack models.
const HARNESSES: &[&str] = &["lm_eval", "lighteval", "inspect_ai", "garak", "pyrit", "deepeval"];
/// Names of classes that train language models whatever the model is called.
const LANGUAGE_TRAINERS: &[&str] = &[
    "SFTTrainer",
    "DPOTrainer",
    "GRPOTrainer",
    "PPOTrainer",
    "ORPOTrainer",
    "KTOTrainer",
];
/// Names that tell a language model among the classes of the libraries.
const LANGUAGE_MODELS: &[&str] = &[
    "DataCollatorForLanguageModeling",
    "FastLanguageModel",
    "GPT2LMHeadModel",
];
/// Names of functions and classes that count computation.
const COUNTERS: &[&str] = &[
    "total_flos",
    "floating_point_ops",
    "num_floating_point_operations",
    "FlopCounterMode",
    "FlopCountAnalysis",
    "get_model_profile",
    "FlopsProfiler",
    "EmissionsTracker",
    "OfflineEmissionsTracker",
    "estimate_mfu",
    "flops_per_token",
];

/// Reads the statements of Python code.
pub(crate) fn read(language: Language, text: &str, out: &mut Out<'_>) {
    if !LITERALS.iter().any(|literal| text.contains(literal)) {
        return;
    }
    let Some(module) = engine_syntax::lower(language, text) else {
        return;
    };
    let roots: BTreeSet<&str> = module
        .imports
        .iter()
        .filter_map(|import| import.module.split('.').next())
        .collect();
    for import in &module.imports {
        let root = import.module.split('.').next().unwrap_or("");
        if HARNESSES.contains(&root) {
            out.say(StatementKind::ModelEvaluation, import.span.line, root);
        }
    }
    let library = TRAINING_LIBRARIES.iter().any(|known| roots.contains(known)) || roots.contains("torch");
    let constants = constants(&module);
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (_, node) in exprs(&module) {
        match node {
            Expr::Name(name) | Expr::Member { name, .. } => {
                names.insert(name);
            }
            _ => {}
        }
    }
    let language_model = names.iter().any(|name| {
        name.ends_with("ForCausalLM") || LANGUAGE_TRAINERS.contains(name) || LANGUAGE_MODELS.contains(name)
    });
    for (id, node) in exprs(&module) {
        match node {
            Expr::Name(name) | Expr::Member { name, .. } if COUNTERS.contains(&&**name) => {
                out.say(StatementKind::ComputeTracking, module.span(id).line, &**name);
            }
            Expr::Call { callee, args, .. } => {
                let place = Place {
                    module: &module,
                    constants: &constants,
                    line: module.span(id).line,
                };
                call(&place, *callee, args, library && language_model, &names, out);
            }
            _ => {}
        }
    }
}

fn exprs(module: &Module) -> impl Iterator<Item = (ExprId, &Expr)> {
    module
        .exprs
        .iter()
        .enumerate()
        .map(|(index, node)| (ExprId(u32::try_from(index).unwrap_or(u32::MAX)), &node.kind))
}

struct Place<'m> {
    module: &'m Module,
    constants: &'m BTreeMap<&'m str, &'m str>,
    line: u32,
}

impl Place<'_> {
    fn text(&self, id: ExprId) -> Option<&str> {
        match self.module.expr(id) {
            Expr::Str(text) => Some(text),
            Expr::Name(name) => self.constants.get(&**name).copied(),
            _ => None,
        }
    }

    fn flag(&self, args: &[Arg], name: &str) -> Option<bool> {
        let value = args.iter().find(|arg| arg.name.as_deref() == Some(name))?.value;
        match self.module.expr(value) {
            Expr::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

fn call(place: &Place<'_>, callee: ExprId, args: &[Arg], trains: bool, names: &BTreeSet<&str>, out: &mut Out<'_>) {
    let (object, name) = match place.module.expr(callee) {
        Expr::Member { object, name } => (Some(*object), &**name),
        Expr::Name(name) => (None, &**name),
        _ => return,
    };
    let of = object.map(|object| last_name(place.module, object)).unwrap_or_default();
    match name {
        "train" | "backward" if trains && object.is_some() => {
            // `model.train()` only switches a mode; a trainer or a loss that flows back changes weights.
            let trainer = is_trainer(of);
            let loop_of_own = name == "backward" && names.contains("step");
            // What trains a small part beside the weights takes a fraction of their computation, which makes nobody a provider of the model.
            let adapter = ["LoraConfig", "get_peft_model", "prepare_model_for_kbit_training"]
                .iter()
                .any(|part| names.contains(part));
            if (trainer || loop_of_own) && !adapter {
                let scratch = names.contains("from_config");
                let how = if scratch {
                    "from scratch"
                } else {
                    "from published weights"
                };
                out.say(StatementKind::Training, place.line, how);
            }
        }
        // The state and the figures that a trainer writes down hold the operations that it counted.
        "save_state" | "save_metrics" if is_trainer(of) => out.say(StatementKind::ComputeTracking, place.line, name),
        "evaluate" if is_trainer(of) => out.say(StatementKind::ModelEvaluation, place.line, "trainer.evaluate"),
        "push_to_hub" if !is_no_model(of) => out.say(StatementKind::WeightsPublished, place.line, ""),
        "upload_folder" | "upload_large_folder"
            if !args.iter().any(|arg| {
                arg.name.as_deref() == Some("repo_type") && matches!(place.text(arg.value), Some("dataset" | "space"))
            }) =>
        {
            out.say(StatementKind::WeightsPublished, place.line, "");
        }
        _ => {}
    }
    let configures = name.ends_with("TrainingArguments") || name.ends_with("Config");
    if configures && place.flag(args, "push_to_hub") == Some(true) {
        out.say(StatementKind::WeightsPublished, place.line, "");
    }
    if place.flag(args, "safe_serialization") == Some(false) {
        out.say(StatementKind::UnsafeWeights, place.line, "");
    }
    if place.flag(args, "trust_remote_code") == Some(true) && name != "load_dataset" {
        let fixed = args.iter().any(|arg| {
            matches!(arg.name.as_deref(), Some("revision" | "code_revision"))
                && place.text(arg.value).is_none_or(is_commit)
        });
        let repository = args
            .iter()
            .filter(|arg| {
                matches!(
                    arg.name.as_deref(),
                    None | Some("pretrained_model_name_or_path" | "model" | "model_name")
                )
            })
            .find_map(|arg| place.text(arg.value))
            .filter(|text| is_repository(text));
        if let Some(repository) = repository.filter(|_| !fixed) {
            out.say(StatementKind::RemoteCode, place.line, repository);
        }
    }
}

/// Whether a name is that of something which trains.
fn is_trainer(name: &str) -> bool {
    name.to_ascii_lowercase().contains("trainer")
}

/// Whether what is published is no model: its tokenizer, its data.
fn is_no_model(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["tok", "dataset", "processor", "data", "ds", "config"]
        .iter()
        .any(|part| lower.contains(part))
}

/// A commit by its digest; a branch or a tag can move.
fn is_commit(revision: &str) -> bool {
    (7..=40).contains(&revision.len()) && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `organisation/name` on a hub, and no path on the disk.
fn is_repository(text: &str) -> bool {
    let mut parts = text.split('/');
    let (Some(owner), Some(name), None) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let word = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    word(owner) && word(name)
}

/// Constants of the module, by name.
fn constants(module: &Module) -> BTreeMap<&str, &str> {
    let mut out = BTreeMap::new();
    for statement in &module.body {
        if let StmtKind::Assign {
            target: Pattern::Name(name),
            value: Some(value),
            ..
        } = &statement.kind
            && let Expr::Str(text) = module.expr(*value)
        {
            out.insert(&**name, &**text);
        }
    }
    out
}

/// The last name of an expression: `trainer` of `self.trainer`, `SFTTrainer` of `SFTTrainer(…)`.
fn last_name(module: &Module, mut id: ExprId) -> &str {
    for _ in 0..8 {
        match module.expr(id) {
            Expr::Name(name) | Expr::Member { name, .. } => return name,
            Expr::Call { callee, .. } => id = *callee,
            Expr::Index { object, .. } => id = *object,
            _ => return "",
        }
    }
    ""
}
