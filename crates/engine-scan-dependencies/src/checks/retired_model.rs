//! `l3-retired-model`: a model that its provider has retired.

use engine_model::{CheckContext, Date, EvidenceKind, Location, Report, Severity, declare_check};

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
        let Some(retired) = model.retired.as_deref() else {
            continue;
        };
        let Ok(date) = retired.parse::<Date>() else { continue };
        for system in context.systems {
            // Only a place in the system's own files makes it the system's model.
            let here = model
                .occurrences
                .iter()
                .filter_map(|text| place(text))
                .find(|(file, line)| {
                    context
                        .records(system)
                        .any(|call| call.file == *file && call.model.as_deref() == Some(&model.name))
                        || (system.files.iter().any(|known| known == file) && *line > 0)
                });
            let Some((file, line)) = here else { continue };
            let name = &model.name;
            let entry = if date <= context.as_of {
                report.fail(
                    90,
                    format!("The model `{name}` was retired by its provider on {retired}."),
                )
            } else {
                report
                    .info(
                        90,
                        format!("The model `{name}` will be retired by its provider on {retired}."),
                    )
                    .severity(Severity::Info)
            };
            entry
                .system(system)
                .at(Location::line(file, line))
                .anchor(name.as_str())
                .evidence(EvidenceKind::Code, name.as_str(), file, line);
        }
    }
}
