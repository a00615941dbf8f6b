//! `l3-retired-model`: a model that its provider has retired.

use std::collections::BTreeSet;

use engine_model::{
    CheckContext, Date, EvidenceKind, Location, ModelUse, ObservationBuilder, Report, Severity, declare_check,
};

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

/// A model of a system with the places where it is named.
struct Named<'a> {
    model: &'a ModelUse,
    date: Date,
    places: Vec<(&'a str, u32)>,
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    for system in context.systems {
        let mut coming: Vec<Named<'_>> = Vec::new();
        // Two providers may serve a model of one name; the name is exchanged once.
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for model in &context.inventory.models {
            // A date that is far away is told in the inventory; nothing need be done about it now.
            let Some(date) = model.retirement(context.as_of) else {
                continue;
            };
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
            if !seen.insert(&model.name) {
                continue;
            }
            let named = Named { model, date, places };
            if date > context.as_of {
                coming.push(named);
                continue;
            }
            let entry = report
                .fail(
                    90,
                    format!(
                        "The model `{}` ({file}:{line}) was retired by its provider on {date}: calls fail, or another model answers{}.",
                        model.name,
                        floating(model)
                    ),
                )
                .system(system)
                .at(Location::line(file, line))
                .anchor(model.name.as_str());
            evidence(entry, &named);
        }
        coming.sort_by(|a, b| (a.date, &a.model.name).cmp(&(b.date, &b.model.name)));
        let Some(first) = coming.first() else { continue };
        let Some((file, line)) = first.places.first().copied() else {
            continue;
        };
        let others: Vec<String> = coming
            .iter()
            .skip(1)
            .take(3)
            .map(|named| format!("`{}` on {}", named.model.name, named.date))
            .collect();
        let others = match others.len() {
            0 => String::new(),
            _ => format!(", and {}", others.join(", ")),
        };
        let mut entry = report
            .info(
                90,
                format!(
                    "The model `{}` ({file}:{line}) will be retired by its provider on {}{}{others}.",
                    first.model.name,
                    first.date,
                    floating(first.model)
                ),
            )
            .severity(Severity::Info)
            .system(system)
            .at(Location::line(file, line))
            .anchor(first.model.name.as_str());
        for named in &coming {
            entry = evidence(entry, named);
        }
    }
}

/// What is to be said of a name that is to be exchanged anyway and fixes no version.
fn floating(model: &ModelUse) -> &'static str {
    if model.pinned == Some(false) {
        "; the name fixes no version either, so take a dated one"
    } else {
        ""
    }
}

/// Adds every place of a model.
fn evidence<'r>(mut entry: ObservationBuilder<'r>, named: &Named<'_>) -> ObservationBuilder<'r> {
    for (file, line) in named.places.iter().take(40) {
        entry = entry.evidence(EvidenceKind::Code, named.model.name.as_str(), file, *line);
    }
    entry
}
