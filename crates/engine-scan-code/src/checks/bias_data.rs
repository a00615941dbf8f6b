//! `l4-unprotected-bias-data`: sensitive data used to measure bias without safeguards.

use engine_model::{CheckContext, Report, StepRole, StructureKind, declare_check};

use super::{control, place, places, structures};

declare_check! {
    /// Sensitive bias data without safeguards.
    ///
    /// Article 4a allows the use of special categories of personal data to detect and correct bias, under conditions.
    /// Among them are pseudonymisation or other technical limits, access control, and deletion once the bias is
    /// corrected or the retention period ends. Age and sex are not special categories.
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
        evidence: "Sensitive bias data protected and deleted",
        severity: Medium,
        impact: Exposes,
        fix: "Replace direct identifiers with pseudonyms before the data is used, and restrict access. Delete the data when the measurement is done. Record why no other data would suffice.",
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
                (true, false) => Some((*structure, "deletion", 60)),
                (false, true) => Some((*structure, "pseudonymisation or encryption", 60)),
                (false, false) => Some((*structure, "pseudonymisation, encryption or deletion", 65)),
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
                    format!("`{input}`, a special category of personal data, is used to measure bias. No {what} was found for it."),
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
