//! `l3-retired-model`: a model that its provider has retired.

use engine_model::{CheckContext, EvidenceKind, Location, Report, Severity, declare_check};

declare_check! {
    /// A model that its provider has retired.
    ///
    /// A retired model no longer answers, or another one answers in its place: what was tested and documented is not what
    /// runs (Article 15(1)).
    ///
    /// Reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(
    ///         model="gpt-3.5-turbo-0301", messages=[{"role": "user", "content": question}]
    ///     )
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// ```
    /// Not reported:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// ```
    RETIRED_MODEL {
        id: "l3-retired-model",
        layer: L3,
        obligation: "OBL-043",
        severity: Medium,
        fix: "Move to a model that is still served, and test the system with it again.",
        run: run,
    }
}

/// A place as `file:line`.
fn place(text: &str) -> Option<(&str, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for model in &context.inventory.models {
        // A date that is far away is told in the inventory; nothing need be done about it now.
        let Some(date) = model.retirement(context.as_of) else {
            continue;
        };
        for system in context.systems {
            // Only a place in the system's own files makes it the system's model.
            let places: Vec<(&str, u32)> = model
                .occurrences
                .iter()
                .filter_map(|text| place(text))
                .filter(|(file, line)| {
                    context
                        .records(system)
                        .any(|call| call.file == *file && call.model.as_deref() == Some(&model.name))
                        || (system.files.iter().any(|known| known == file) && *line > 0)
                })
                .collect();
            let Some((file, line)) = places.first().copied() else {
                continue;
            };
            let name = &model.name;
            let floating = if model.pinned == Some(false) {
                "; the name fixes no version either, so take a dated one"
            } else {
                ""
            };
            let entry = if date <= context.as_of {
                report.fail(
                    90,
                    format!(
                        "The model `{name}` ({file}:{line}) was retired by its provider on {date}: calls fail, or another model answers{floating}."
                    ),
                )
            } else {
                report
                    .info(
                        90,
                        format!("The model `{name}` ({file}:{line}) will be retired by its provider on {date}{floating}."),
                    )
                    .severity(Severity::Info)
            };
            let mut entry = entry
                .system(system)
                .at(Location::line(file, line))
                .anchor(name.as_str());
            for (file, line) in places.iter().take(40) {
                entry = entry.evidence(EvidenceKind::Code, name.as_str(), file, *line);
            }
        }
    }
}
