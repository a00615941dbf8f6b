//! Duties for general-purpose models, for projects that train a language model and publish its weights.

use engine_model::{
    ArtefactKind, CheckContext, EvidenceKind, Location, Report, SectionState, Statement, StatementKind, System,
    declare_check,
};

use super::subject::{documents, said, said_of, section, speaks_of};
use crate::join::trains_and_publishes;

/// The systems that train a language model and publish it, with the place of the training.
fn trained<'a>(context: &CheckContext<'a>) -> Vec<(&'a System, &'a Statement, &'a Statement)> {
    context
        .systems
        .iter()
        .filter_map(|system| {
            let (training, published) = trains_and_publishes(context.statements, &system.scope)?;
            // The innermost system owns the place.
            speaks_of(context, &training.file, system).then_some((system, training, published))
        })
        .collect()
}

declare_check! {
    /// Training compute not recorded.
    ///
    /// Art. 51(2) presumes systemic risk above 10^25 floating point operations. Without a record of the training compute, this threshold cannot be
    /// checked. Evidence is a counter of a library, a figure in a model card or the section on compute in the documentation. The check reports a
    /// gap only if the code trains a language model and publishes its weights.
    ///
    /// Reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("brightwater/bw-7b")
    /// ```
    /// Not reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("brightwater/bw-7b")
    /// print("operations", trainer.state.total_flos)
    /// ```
    /// Not reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// result = trainer.train()
    /// trainer.save_metrics("train", result.metrics)
    /// model.push_to_hub("brightwater/bw-7b")
    /// ```
    UNTRACKED_COMPUTE {
        id: "l4-untracked-compute",
        layer: L4,
        obligation: "OBL-100",
        evidence: "Training compute recorded",
        severity: Medium,
        impact: Prepares,
        fix: "Record the floating point operations of each training run, and compare their sum with the threshold of Art. 51(2).",
        fixable: false,
        run: compute,
    }
}

fn compute(context: &CheckContext<'_>, report: &mut Report) {
    for (system, training, published) in trained(context) {
        let counted = said_of(context, StatementKind::ComputeTracking, system)
            .into_iter()
            .chain(said_of(context, StatementKind::Compute, system))
            .next();
        if let Some(counted) = counted {
            report
                .pass(65, "the training compute is counted or stated")
                .system(system)
                .at(Location::line(counted.file.clone(), counted.line))
                .anchor("compute")
                .evidence(EvidenceKind::Code, counted.value.clone(), &counted.file, counted.line);
            continue;
        }
        let documented = documents(context, "gpai-technical-documentation").any(|document| {
            speaks_of(context, &document.file, system) && section(document, "compute").0 == SectionState::Filled
        });
        if !documented {
            report
                .fail(
                    60,
                    format!(
                        "no record of the training compute was found for the language model that is trained here and published at {}:{}",
                        published.file, published.line
                    ),
                )
                .system(system)
                .at(Location::line(training.file.clone(), training.line))
                .anchor("compute")
                .evidence(EvidenceKind::Code, "training", &training.file, training.line)
                .evidence(EvidenceKind::Code, "publication of weights", &published.file, published.line);
        }
    }
}

declare_check! {
    /// Published language model without evaluation.
    ///
    /// Art. 55(1)(a) requires providers of models with systemic risk to evaluate them by standard protocols, including adversarial tests. Evidence is
    /// an evaluation harness in code, a pipeline step or results in the project. The check reports a gap only if the code trains a language model
    /// and publishes its weights.
    ///
    /// Reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("brightwater/bw-7b")
    /// ```
    /// Not reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    /// import lm_eval
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// print(lm_eval.simple_evaluate(model="hf", tasks=["hellaswag"]))
    /// model.push_to_hub("brightwater/bw-7b")
    /// ```
    /// Not reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// print(trainer.evaluate())
    /// model.push_to_hub("brightwater/bw-7b")
    /// ```
    UNEVALUATED_MODEL {
        id: "l4-unevaluated-model",
        layer: L4,
        obligation: "OBL-109",
        evidence: "Model evaluation found",
        severity: Medium,
        impact: Prepares,
        fix: "Run an evaluation harness and adversarial tests before the weights are published, and keep the results.",
        fixable: false,
        run: evaluated,
    }
}

fn evaluated(context: &CheckContext<'_>, report: &mut Report) {
    for (system, training, published) in trained(context) {
        let harness = said_of(context, StatementKind::ModelEvaluation, system)
            .first()
            .map(|found| (found.file.as_str(), found.line, found.value.as_str()));
        let other = context
            .artefacts
            .iter()
            .find(|artefact| matches!(artefact.kind, ArtefactKind::CiEvaluation | ArtefactKind::Evaluation))
            .map(|artefact| (artefact.file.as_str(), artefact.line, artefact.because.as_str()));
        if let Some((file, line, because)) = harness.or(other) {
            report
                .pass(60, "an evaluation of the model was found in the project")
                .system(system)
                .at(Location::line(file, line))
                .anchor("evaluation")
                .evidence(EvidenceKind::Code, because, file, line);
            continue;
        }
        report
            .fail(
                60,
                format!(
                    "no evaluation or adversarial test was found for the language model that is trained here and published at {}:{}",
                    published.file, published.line
                ),
            )
            .system(system)
            .at(Location::line(training.file.clone(), training.line))
            .anchor("evaluation")
            .evidence(EvidenceKind::Code, "training", &training.file, training.line)
            .evidence(EvidenceKind::Code, "publication of weights", &published.file, published.line);
    }
}

declare_check! {
    /// Model weights open to tampering.
    ///
    /// Art. 55(1)(d) requires providers of models with systemic risk to protect the model and its infrastructure. The check reports public storage
    /// of weights, and weights in a format that can run code on loading. It also reports training that runs code of another repository without a
    /// pinned revision. The check reports a gap only if the code trains a language model and publishes its weights.
    ///
    /// Reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("brightwater/bw-7b", safe_serialization=False)
    /// ```
    /// Not reported:
    /// ```text
    /// //- train.py
    /// from datasets import load_dataset
    /// from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments
    ///
    /// model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// tokenizer = AutoTokenizer.from_pretrained("mistralai/Mistral-7B-v0.3")
    /// data = load_dataset("brightwater/corpus")["train"]
    /// trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("brightwater/bw-7b", safe_serialization=True)
    /// ```
    UNGUARDED_WEIGHTS {
        id: "l4-unguarded-weights",
        layer: L4,
        obligation: "OBL-112",
        severity: High,
        impact: Exposes,
        fix: "Publish weights as safetensors with their digests. Restrict access to the storage. Pin the revision of the loaded code.",
        fixable: false,
        run: guarded,
    }
}

fn guarded(context: &CheckContext<'_>, report: &mut Report) {
    for (system, ..) in trained(context) {
        for (kind, confidence, message) in [
            (
                StatementKind::UnsafeWeights,
                75,
                "weights are saved in a format that can run code on loading",
            ),
            (
                StatementKind::PublicStorage,
                75,
                "the storage of the weights is open to the public",
            ),
            (
                StatementKind::RemoteCode,
                75,
                "code of a model repository runs here without a pinned revision",
            ),
        ] {
            for place in said_of(context, kind, system) {
                report
                    .fail(confidence, message)
                    .system(system)
                    .at(Location::line(place.file.clone(), place.line))
                    .anchor(format!("{kind:?}#{}", place.value))
                    .evidence(EvidenceKind::Code, place.value.clone(), &place.file, place.line);
            }
        }
    }
}

declare_check! {
    /// Remote model code without pinned revision.
    ///
    /// Art. 15(5) requires that high-risk systems are protected against manipulation of their components. With `trust_remote_code=True`, the loader
    /// runs Python files of the model repository. Without a pinned revision, anyone with write access to that repository can change this code.
    /// Reported if code names the repository but not a commit.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from transformers import AutoModelForCausalLM, AutoTokenizer
    ///
    /// app = FastAPI()
    /// model = AutoModelForCausalLM.from_pretrained("brightwater/bw-7b", trust_remote_code=True)
    /// tokenizer = AutoTokenizer.from_pretrained("brightwater/bw-7b")
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str) -> str:
    ///     tokens = tokenizer(cv, return_tensors="pt")
    ///     return tokenizer.decode(model.generate(**tokens)[0])
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from transformers import AutoModelForCausalLM, AutoTokenizer
    ///
    /// app = FastAPI()
    /// model = AutoModelForCausalLM.from_pretrained("brightwater/bw-7b", trust_remote_code=True, revision="8f3b1c2d4e5f60718293a4b5c6d7e8f901234567")
    /// tokenizer = AutoTokenizer.from_pretrained("brightwater/bw-7b")
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str) -> str:
    ///     tokens = tokenizer(cv, return_tensors="pt")
    ///     return tokenizer.decode(model.generate(**tokens)[0])
    /// ```
    UNPINNED_REMOTE_CODE {
        id: "l4-unpinned-remote-code",
        layer: L4,
        obligation: "OBL-047",
        also: &["OBL-112"],
        severity: High,
        impact: Exposes,
        fix: "Set `revision` to a commit of the repository, or use a model that needs no remote code.",
        fixable: false,
        run: remote_code,
    }
}

fn remote_code(context: &CheckContext<'_>, report: &mut Report) {
    let own: Vec<&str> = trained(context).iter().map(|(system, ..)| system.id.as_str()).collect();
    for place in said(context, StatementKind::RemoteCode) {
        for system in context
            .systems
            .iter()
            // Where the model is trained and published, the duty of its provider speaks of the same place.
            .filter(|system| !own.contains(&system.id.as_str()) && speaks_of(context, &place.file, system))
            .filter(|system| system.scope.is_empty() || context.in_scope(system, &place.file))
        {
            report
                .fail(
                    75,
                    format!(
                        "code of the repository `{}` runs when the model is loaded, but no revision is pinned",
                        place.value
                    ),
                )
                .system(system)
                .at(Location::line(place.file.clone(), place.line))
                .anchor(place.value.as_str())
                .evidence(EvidenceKind::Code, place.value.clone(), &place.file, place.line);
        }
    }
}
