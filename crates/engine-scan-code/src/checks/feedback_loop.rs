//! `l4-feedback-loop`: a model that is trained on model output.

use engine_model::{CheckContext, Report, StepRole, Structure, StructureKind, declare_check};

use super::{control, place, places, structures};

declare_check! {
    /// Unreviewed model output in training data.
    ///
    /// Article 15(4): providers of systems that continue to learn must remove the risk that biased outputs become input
    /// for later operations, or reduce it as far as possible.
    ///
    /// The evidence is a data flow: an output is stored in a file or table, and a training run reads it.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// import pandas as pd
    /// from sklearn.linear_model import SGDClassifier
    ///
    /// model = SGDClassifier()
    ///
    /// def predict(rows):
    ///     rows["label"] = model.predict(rows[["a", "b"]])
    ///     rows.to_csv("data/train.csv", mode="a")
    ///
    /// def retrain():
    ///     data = pd.read_csv("data/train.csv")
    ///     model.fit(data[["a", "b"]], data["label"])
    ///
    /// predict(pd.read_csv("today.csv"))
    /// retrain()
    /// ```
    /// Reported:
    /// ```text
    /// //- app.py
    /// from sklearn.linear_model import SGDClassifier
    ///
    /// model = SGDClassifier()
    ///
    /// def step(batch):
    ///     labels = model.predict(batch)
    ///     model.partial_fit(batch, labels)
    ///     return labels
    ///
    /// print(step([[1, 2]]))
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// import pandas as pd
    /// from sklearn.linear_model import SGDClassifier
    ///
    /// model = SGDClassifier()
    ///
    /// def predict(rows):
    ///     rows["label"] = model.predict(rows[["a", "b"]])
    ///     rows.to_csv("data/train.csv", mode="a")
    ///
    /// def retrain():
    ///     data = pd.read_csv("data/train.csv")
    ///     data = data[data["human_label"].notna()]
    ///     model.fit(data[["a", "b"]], data["human_label"])
    ///
    /// predict(pd.read_csv("today.csv"))
    /// retrain()
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from sklearn.ensemble import RandomForestClassifier
    /// from sklearn.linear_model import LogisticRegression
    ///
    /// base = RandomForestClassifier()
    /// meta = LogisticRegression()
    ///
    /// def stack(x, y):
    ///     base.fit(x, y)
    ///     meta.fit(base.predict_proba(x), y)
    ///     return meta.predict(base.predict_proba(x))
    ///
    /// print(stack([[1], [2]], [0, 1]))
    /// ```
    FEEDBACK_LOOP {
        id: "l4-feedback-loop",
        layer: L4,
        obligation: "OBL-046",
        evidence: "Model output reviewed before training",
        severity: Medium,
        impact: Exposes,
        fix: "Keep model output separate from training data. Train on outcomes or labels that a person confirmed. Compare the share of each group from one training run to the next.",
        run: run,
    }
}

/// Whether what is kept are features that were drawn from an input, as the measures of an enrolled face: they are no verdict of a model.
fn draws_features(context: &CheckContext<'_>, structure: &Structure) -> bool {
    context.inventory.calls.iter().any(|call| {
        let symbol = call.symbol.to_ascii_lowercase();
        (&call.file, call.line, call.column) == (&structure.file, structure.line, structure.column)
            && ["embed", "encod", "descriptor", "represent", "feature"]
                .iter()
                .any(|word| symbol.contains(word))
    })
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut loops = structures(context, system, StructureKind::FeedbackLoop);
        loops.retain(|structure| !draws_features(context, structure));
        if let Some(structure) = loops
            .iter()
            .find(|structure| control(structure, StepRole::Review).is_none())
        {
            let kept = structure.steps.first();
            let trained = structure.steps.last();
            let message = format!(
                "Model output is stored in `{}` ({}:{}) and used for training ({}:{}). No review or filter was found in between.",
                kept.map_or("", |step| step.reference.as_str()),
                kept.map_or("", |step| step.file.as_str()),
                kept.map_or(0, |step| step.line),
                trained.map_or("", |step| step.file.as_str()),
                trained.map_or(0, |step| step.line),
            );
            let finding = report
                .fail(70, message)
                .at(place(structure))
                .system(system)
                .anchor(structure.function.as_deref().unwrap_or("").to_owned());
            places(finding, structure);
        } else if let Some(step) = loops.iter().find_map(|structure| control(structure, StepRole::Review)) {
            report
                .pass(
                    60,
                    "Model output is reviewed or filtered before a model is trained on it.",
                )
                .at(super::step_place(step))
                .system(system);
        }
    }
}
