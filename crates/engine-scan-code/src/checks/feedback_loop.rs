//! `l4-feedback-loop`: a model that learns from what it gave out.

use engine_model::{CheckContext, Report, StepRole, Structure, StructureKind, declare_check};

use super::{control, place, places, structures};

declare_check! {
    /// A model that is trained on what a model gave out, without a person or a filter in between.
    ///
    /// Article 15(4): systems that go on learning are made so that biased outputs do not become inputs of later operations.
    /// Observed is the way of the data: an answer is kept in a file or table, and a training reads it.
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
        evidence: "What a model gave out is looked at before a model learns from it",
        severity: Medium,
        fix: "Keep what the model gave out apart from what it learns from: train on outcomes or labels that a person confirmed, and watch the share of each group from one training to the next.",
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
                "What the model gave out is kept in `{}` ({}:{}) and a training reads it ({}:{}); nothing was observed that looks at it in between.",
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
                    "What a model gave out is looked at before a model is trained on it.",
                )
                .at(super::step_place(step))
                .system(system);
        }
    }
}
