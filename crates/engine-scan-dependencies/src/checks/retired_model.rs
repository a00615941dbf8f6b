//! `l3-retired-model`: a model that its provider has retired.

use std::collections::BTreeSet;

use engine_catalogue::catalogue;
use engine_model::{
    Applies, Call, CallKind, CheckContext, Date, EntryPointKind, EvidenceKind, Language, Location, ModelUse,
    ObservationBuilder, Report, Severity, System, TraceKind, declare_check,
};

declare_check! {
    /// A model that its provider has retired.
    ///
    /// A retired model no longer answers, or another one answers in its place: what was tested and documented is not what
    /// runs (Article 15(1)). It is said of every system, since it breaks where no duty binds as well: of what is retired, and of what
    /// will be within three months; for a high-risk system within a year. The finding stands where the name is written, with the calls that ask
    /// for it as evidence. Scripts that only set something up and routes for finding faults are left out.
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
    /// Where the name is to be changed.
    at: (&'a str, u32),
    places: Vec<(&'a str, u32)>,
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    // Where no duty binds, a name is told once and not once for each system.
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for system in context.systems {
        let bound = binds(system);
        let mut coming: Vec<Named<'_>> = Vec::new();
        // Two providers may serve a model of one name; the name is exchanged once.
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for model in &context.inventory.models {
            // A date that is far away is told in the inventory; nothing need be done about it now.
            let Some(date) = model.retirement(context.as_of) else {
                continue;
            };
            // Only a place in the system's own files makes it the system's model, and a name that is sent to another provider
            // is not known there.
            let mut places: Vec<(&str, u32)> = model
                .occurrences
                .iter()
                .filter_map(|text| place(text))
                .filter(|(file, _)| !is_put_away(file))
                .filter(|(file, line)| {
                    let mut calls = context
                        .records(system)
                        .filter(|call| call.file == *file && call.model.as_deref() == Some(&model.name))
                        .peekable();
                    if calls.peek().is_none() {
                        return system.files.iter().any(|known| known == file) && *line > 0;
                    }
                    calls.any(|call| {
                        call.runs()
                            && serves(call, model)
                            && (bound || call.provider.is_some())
                            && !is_for_debugging(system, call)
                            && !is_passed_over(context, system, call)
                    })
                })
                .collect();
            // What ships is worth more than what is tried by hand.
            places.sort_by_key(|(file, line)| (is_tried_by_hand(file), *file, *line));
            let Some((file, line)) = places.first().copied().filter(|(file, _)| !is_helper(file)) else {
                continue;
            };
            let again = !bound && told.contains(model.name.as_str());
            if again || !seen.insert(&model.name) {
                continue;
            }
            told.insert(&model.name);
            // The place to change is where the name is written; the call that asks for it is evidence.
            let mut spelled = written(context, system, model, (file, line));
            spelled.sort_by_key(|(file, line)| (is_tried_by_hand(file), *file, *line));
            let (file, line) = spelled.first().copied().unwrap_or((file, line));
            places.extend(spelled.iter().skip(1));
            let named = Named {
                model,
                date,
                at: (file, line),
                places,
            };
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
        if !bound {
            coming.retain(|named| named.model.retires_soon(context.as_of));
        }
        let by_hand = |named: &Named<'_>| named.places.first().is_none_or(|(file, _)| is_tried_by_hand(file));
        coming.sort_by(|a, b| (a.date, by_hand(a), &a.model.name).cmp(&(b.date, by_hand(b), &b.model.name)));
        let Some(first) = coming.first() else { continue };
        let (file, line) = first.at;
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
            .title("A model that its provider will retire soon")
            .system(system)
            .at(Location::line(file, line))
            .anchor(first.model.name.as_str());
        for named in &coming {
            entry = evidence(entry, named);
        }
    }
}

/// Where the name of a model is written that the call at a place asks for: one place, or each from which it is handed over.
fn written<'a>(context: &CheckContext<'a>, system: &System, model: &ModelUse, at: (&str, u32)) -> Vec<(&'a str, u32)> {
    let id = system.id.as_str();
    let call = context.inventory.calls.iter().find(|call| {
        (call.file.as_str(), call.line) == at
            && call.system.as_deref() == Some(id)
            && call.model.as_deref() == Some(&model.name)
    });
    call.and_then(|call| call.traced(TraceKind::ModelNamed))
        .into_iter()
        .flat_map(|trace| &trace.chain)
        .filter_map(|place| Some((place.file.as_deref()?, place.line?)))
        .collect()
}

/// Whether something is only made, while what its file asks is a model of another name.
fn is_passed_over(context: &CheckContext<'_>, system: &System, made: &Call) -> bool {
    let mut asked = context
        .records(system)
        .filter(|call| call.kind == CallKind::Call && call.file == made.file && call.sdk == made.sdk)
        .filter_map(|call| call.model.as_deref())
        .peekable();
    made.kind == CallKind::Construct
        && made.model.is_some()
        && asked.peek().is_some()
        && asked.all(|model| Some(model) != made.model.as_deref())
}

/// Whether a call stands in a route that is there for finding faults.
fn is_for_debugging(system: &System, call: &Call) -> bool {
    let route = system
        .entry_points
        .iter()
        .filter(|entry| entry.file == call.file && entry.line <= call.line)
        .max_by_key(|entry| entry.line)
        .filter(|entry| entry.kind == EntryPointKind::Http);
    route.is_some_and(|entry| {
        entry
            .name
            .split(['/', '-', '_', '.'])
            .any(|part| part.eq_ignore_ascii_case("debug"))
    })
}

/// Whether the duty of the check may bind a system.
fn binds(system: &System) -> bool {
    system
        .obligations
        .iter()
        .any(|record| record.obligation_id == RETIRED_MODEL.obligation && record.applies != Applies::DoesNotApply)
}

/// Whether a call may reach the maker of a model: a provider with models of its own serves no names of others.
fn serves(call: &Call, model: &ModelUse) -> bool {
    let (Some(provider), Some(maker)) = (
        call.provider.as_deref(),
        catalogue().model(&model.name).map(|m| m.provider),
    ) else {
        return true;
    };
    // The weights of these are with their maker and a few that it has licensed: no other cloud serves them.
    let closed = matches!(maker, "openai")
        && ["google", "anthropic", "bedrock", "aws", "mistral", "cohere"]
            .iter()
            .any(|cloud| provider.contains(cloud));
    if closed {
        return false;
    }
    // What runs on a machine of one's own is not retired by whoever made it.
    let own = matches!(provider, "local" | "ollama");
    provider == maker || !own && !catalogue().models().iter().any(|row| row.provider == provider)
}

/// Whether a file lies in a folder for what is no longer in use.
fn is_put_away(file: &str) -> bool {
    file.rsplit('/').skip(1).any(|folder| {
        matches!(
            folder.trim_matches('_').to_ascii_lowercase().as_str(),
            "old" | "backup" | "backups" | "bak" | "deprecated" | "archive" | "archived" | "unused"
        )
    })
}

/// Whether a file is a notebook or a helper: cells are run by hand.
fn is_tried_by_hand(file: &str) -> bool {
    Language::of_path(file) == Language::Notebook || is_helper(file)
}

/// Whether a file lies among the tools of those who build the system.
fn is_helper(file: &str) -> bool {
    file.split('/').rev().skip(1).any(|folder| {
        matches!(
            folder,
            "scripts" | "script" | "tools" | "tooling" | "qa" | "dev" | "debug" | "maintenance" | "bin"
        )
    }) || sets_up(file)
}

/// Whether a file outside of the sources is a script that somebody runs once: `setup-gemini.js`, `check_key.py`.
fn sets_up(file: &str) -> bool {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = name.split('.').next().unwrap_or(name);
    let first = stem.split(['-', '_']).next().filter(|first| *first != stem);
    !folder
        .split('/')
        .any(|part| matches!(part, "src" | "app" | "lib" | "pkg" | "internal"))
        && first.is_some_and(|first| {
            matches!(
                first.to_ascii_lowercase().as_str(),
                "setup" | "install" | "debug" | "check" | "verify" | "diagnose" | "smoke" | "seed"
            )
        })
}

/// What is to be said of a name that is to be exchanged anyway and fixes no version.
fn floating(model: &ModelUse) -> &'static str {
    if model.pinned == Some(false) {
        "; the name fixes no version either"
    } else {
        ""
    }
}

/// Adds every place of a model.
fn evidence<'r>(mut entry: ObservationBuilder<'r>, named: &Named<'_>) -> ObservationBuilder<'r> {
    let written = (!named.places.contains(&named.at)).then_some(&named.at);
    for (file, line) in written.into_iter().chain(&named.places).take(40) {
        entry = entry.evidence(EvidenceKind::Code, named.model.name.as_str(), file, *line);
    }
    entry
}
