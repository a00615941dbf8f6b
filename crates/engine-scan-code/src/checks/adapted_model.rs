//! `l4-adapted-model`: a model of somebody else, trained further and put out.

use engine_model::{CheckContext, DocumentState, Report, StructureKind, declare_check};

use super::{place, places, structures};

declare_check! {
    /// A model of somebody else that is trained further and then published or served here.
    ///
    /// Article 25(1): who puts their name on a high-risk system, modifies it substantially or gives it a new purpose takes
    /// over the duties of its provider. Whether that is so is to be written down at each change.
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
        evidence: "Who has which duties for an adapted model is written down",
        severity: Medium,
        fix: "Write down for this change whose model it was, what was changed, under whose name it is put out and for which purpose, and who has the duties of the provider from then on.",
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
                .pass(
                    65,
                    format!("Who has which duties is written down in {}.", document.file),
                )
                .at(place(structure))
                .system(system);
            continue;
        }
        let message = format!(
            "`{}` ({}:{}) is trained further ({}:{}) and put out under another name ({}:{}); no note was found that says who has the duties of the provider now.",
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
