//! `l4-floating-model`: model names that fix no version.

use std::collections::BTreeMap;

use engine_model::{Call, CheckContext, EvidenceKind, Report, declare_check};

use super::calls;

declare_check! {
    /// Model names that the provider moves to newer versions.
    ///
    /// Article 15(1): a high-risk system performs consistently over its lifetime. What was tested and documented is one version; a
    /// floating name may answer differently tomorrow.
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-4o", input=input()).output_text)
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// if __name__ == "__main__":
    ///     print(client.responses.create(model="gpt-4o-2024-08-06", input=input()).output_text)
    /// ```
    FLOATING_MODEL {
        id: "l4-floating-model",
        layer: L4,
        obligation: "OBL-045",
        also: &["OBL-031"],
        severity: Low,
        fix: "Name the dated version of the model that was tested, and move to the next one on purpose.",
        run: run,
    }
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut floating: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
        let mut pinned = None;
        for call in calls(context, system) {
            match (&call.model, call.model_pinned) {
                (Some(model), Some(false)) => floating.entry(model).or_default().push(call),
                (Some(_), Some(true)) => pinned = pinned.or(Some(call)),
                _ => {}
            }
        }
        for (model, places) in &floating {
            let mut finding = report
                .fail(92, format!("The name `{model}` does not fix a version."))
                .call(places[0])
                .anchor(*model)
                .system(system);
            for call in places.iter().skip(1).take(40) {
                finding = finding.evidence(EvidenceKind::Code, call.symbol.clone(), &call.file, call.line);
            }
        }
        if let Some(call) = pinned.filter(|_| floating.is_empty()) {
            report
                .pass(85, "The names of models fix their versions.")
                .call(call)
                .system(system);
        }
    }
}
