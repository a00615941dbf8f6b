//! `l4-adapted-model`: a third-party model that is fine-tuned and released.

use engine_model::{CheckContext, DocumentState, Report, StructureKind, declare_check};

use super::{place, places, structures};

declare_check! {
    /// Modified model, provider duties undocumented.
    ///
    /// Article 25(1): you take over the duties of the provider if you put your name on a high-risk system, modify it
    /// substantially or give it a new purpose. Assess this for each change, and record the result.
    ///
    /// This check reports a third-party model that is fine-tuned here and then published or served.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def tune(file_id):
    ///     return client.fine_tuning.jobs.create(model="gpt-4.1-mini-2025-04-14", training_file=file_id)
    ///
    /// def ask(question):
    ///     return client.responses.create(model="ft:gpt-4.1-mini-2025-04-14:acme::x1", input=question).output_text
    ///
    /// tune("file-1")
    /// print(ask(input()))
    /// ```
    /// Reported:
    /// ```text
    /// //- train.py
    /// from transformers import AutoModelForSequenceClassification, Trainer
    ///
    /// model = AutoModelForSequenceClassification.from_pretrained("distilbert/distilbert-base-uncased")
    /// trainer = Trainer(model=model, train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("acme/claims-triage")
    /// ```
    /// Not reported:
    /// ```text
    /// //- train.py
    /// from transformers import AutoModelForSequenceClassification, Trainer
    ///
    /// model = AutoModelForSequenceClassification.from_pretrained("acme/claims-base")
    /// trainer = Trainer(model=model, train_dataset=data)
    /// trainer.train()
    /// model.push_to_hub("acme/claims-triage")
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def tune(file_id):
    ///     return client.fine_tuning.jobs.create(model="gpt-4.1-mini-2025-04-14", training_file=file_id)
    ///
    /// def ask(question):
    ///     return client.responses.create(model="gpt-4.1-2025-04-14", input=question).output_text
    ///
    /// tune("file-1")
    /// print(ask(input()))
    /// ```
    ADAPTED_MODEL {
        id: "l4-adapted-model",
        layer: L4,
        obligation: "OBL-066",
        evidence: "Provider duties documented for modified model",
        severity: Medium,
        impact: Prepares,
        fix: "For each change, record whose model it is, what you changed, and the name and purpose of the release. State who has the duties of the provider from then on.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    let assessed = context.documents.iter().find(|document| {
        matches!(
            document.kind.as_str(),
            "classification-assessment" | "value-chain-agreement"
        ) && document.state == DocumentState::Filled
            && !document.draft
    });
    for system in context.systems {
        let Some(structure) = structures(context, system, StructureKind::ModelAdapted)
            .into_iter()
            .next()
        else {
            continue;
        };
        let [base, training, put_out] = structure.steps.as_slice() else {
            continue;
        };
        if let Some(document) = assessed {
            report
                .pass(65, format!("Provider duties are documented in {}.", document.file))
                .at(place(structure))
                .system(system);
            continue;
        }
        let message = format!(
            "The third-party model `{}` ({}:{}) is fine-tuned ({}:{}) and released under another name ({}:{}). No document on the duties of the provider was found.",
            base.reference, base.file, base.line, training.file, training.line, put_out.file, put_out.line
        );
        let finding = report
            .fail(65, message)
            .at(super::step_place(training))
            .system(system)
            .anchor(base.reference.clone());
        places(finding, structure);
    }
}
