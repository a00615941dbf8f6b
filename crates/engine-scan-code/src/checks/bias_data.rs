//! `l4-unprotected-bias-data`: sensitive data read against bias without safeguards.

use engine_model::{CheckContext, Report, StepRole, StructureKind, declare_check};

use super::{control, place, places, structures};

declare_check! {
    /// Special categories of personal data read to measure or correct bias, without protection or deletion.
    ///
    /// Article 4a allows it under conditions, among them pseudonyms or other technical limits, access control, and deletion
    /// when the bias is corrected or the time of keeping is over. Age and sex are no special categories.
    ///
    /// Reported:
    /// ```text
    /// //- audit.py
    /// import pandas as pd
    /// from fairlearn.metrics import MetricFrame, selection_rate
    /// from sklearn.linear_model import LogisticRegression
    ///
    /// df = pd.read_csv("people.csv")
    /// model = LogisticRegression().fit(df[["a", "b"]], df["y"])
    /// frame = MetricFrame(metrics=selection_rate, y_true=df["y"], y_pred=model.predict(df[["a", "b"]]), sensitive_features=df["ethnicity"])
    /// print(frame.by_group)
    /// ```
    /// Not reported:
    /// ```text
    /// //- audit.py
    /// import pandas as pd
    /// from fairlearn.metrics import MetricFrame, selection_rate
    /// from sklearn.linear_model import LogisticRegression
    ///
    /// df = pd.read_csv("people.csv")
    /// model = LogisticRegression().fit(df[["a", "b"]], df["y"])
    /// frame = MetricFrame(metrics=selection_rate, y_true=df["y"], y_pred=model.predict(df[["a", "b"]]), sensitive_features=df["age_group"])
    /// print(frame.by_group)
    /// ```
    /// Not reported:
    /// ```text
    /// //- audit.py
    /// import os
    /// import pandas as pd
    /// from fairlearn.metrics import MetricFrame, selection_rate
    /// from sklearn.linear_model import LogisticRegression
    ///
    /// df = pseudonymise(pd.read_csv("people.csv"))
    /// model = LogisticRegression().fit(df[["a", "b"]], df["y"])
    /// frame = MetricFrame(metrics=selection_rate, y_true=df["y"], y_pred=model.predict(df[["a", "b"]]), sensitive_features=df["ethnicity"])
    /// print(frame.by_group)
    /// os.remove("people.csv")
    /// ```
    UNPROTECTED_BIAS_DATA {
        id: "l4-unprotected-bias-data",
        layer: L4,
        obligation: "OBL-013",
        evidence: "Sensitive data against bias is protected and deleted",
        severity: Medium,
        fix: "Replace direct identifiers by pseudonyms before the data is read, keep it where few can reach it, delete it when the measurement is done, and record why no other data would do.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let uses = structures(context, system, StructureKind::SensitiveDataForBias);
        let lacking = uses.iter().find_map(|structure| {
            let protected = control(structure, StepRole::Protection).is_some();
            let deleted = control(structure, StepRole::Deletion).is_some();
            match (protected, deleted) {
                (true, true) => None,
                (true, false) => Some((*structure, "its deletion", 60)),
                (false, true) => Some((*structure, "pseudonyms or encryption", 60)),
                (false, false) => Some((*structure, "pseudonyms, encryption or deletion", 65)),
            }
        });
        if let Some((structure, what, confidence)) = lacking {
            let input = structure.steps.first().map_or("", |step| step.reference.as_str());
            let at = structure
                .steps
                .first()
                .map_or_else(|| place(structure), super::step_place);
            let finding = report
                .fail(
                    confidence,
                    format!("`{input}`, a special category of personal data, is read to measure bias; {what} was not observed beside it."),
                )
                .at(at)
                .system(system)
                .anchor(input.to_owned());
            places(finding, structure);
        } else if let Some(step) = uses
            .iter()
            .find_map(|structure| control(structure, StepRole::Protection))
        {
            report
                .pass(
                    60,
                    format!("Sensitive data is protected by `{}` and deleted.", step.reference),
                )
                .at(super::step_place(step))
                .system(system);
        }
    }
}
