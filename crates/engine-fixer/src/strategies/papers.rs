//! Documents that name another model or version than the code.

use std::collections::BTreeSet;
use std::ops::Range;

use engine_catalogue::catalogue;
use engine_model::{CallKind, Language, Zone};

use crate::code::Code;
use crate::strategy::{Site, declare_strategy};
use crate::{Draft, NoFix};

declare_strategy! {
    /// Names the model in a document that the code calls.
    ///
    /// The document must name the other model once, and the code must name one model alone.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Architecture
    ///
    /// The text of a CV goes to the hosted model `gpt-3.5-turbo-0613`, which answers with an order and a reason.
    /// ```
    /// After:
    /// ```text
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Architecture
    ///
    /// The text of a CV goes to the hosted model `gpt-5.5`, which answers with an order and a reason.
    /// ```
    DOCUMENTED_MODEL {
        id: "documented-model",
        checks: ["cross-documented-model"],
        kind: Document,
        languages: [Markup],
        plan: model,
    }
}

declare_strategy! {
    /// Writes the pinned version of a package into a document.
    ///
    /// The version gets as many parts as the document had. The document must name the old version once.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from fastapi import FastAPI
    /// from openai import OpenAI
    ///
    /// app = FastAPI()
    /// client = OpenAI()
    ///
    /// @app.post("/applicants/rank")
    /// def rank(cv: str, vacancy: str) -> str:
    ///     reply = client.chat.completions.create(model="gpt-5.5", messages=[{"role": "user", "content": vacancy + cv}])
    ///     return reply.choices[0].message.content
    /// //- requirements.txt
    /// openai==2.8.0
    /// fastapi==0.115.6
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Software versions
    ///
    /// The client library is openai 1.30, on Python 3.12, in a container that is built for each release.
    /// ```
    /// After:
    /// ```text
    /// //- docs/technical-documentation.md
    /// # Technical documentation
    ///
    /// Version 0.3 of the ranking service, an AI system.
    ///
    /// ## General description
    ///
    /// The service orders applications for one vacancy so that recruiters read the most fitting ones first.
    ///
    /// ## Intended purpose, provider and version
    ///
    /// Brightwater Energy offers the service to its own recruiters; this is version 0.3.
    ///
    /// ## Human oversight
    ///
    /// Recruiters open every application of a vacancy, whatever its place in the order.
    ///
    /// ## Risk management system
    ///
    /// Risks are rated each quarter together with the works council, see the risk management file.
    ///
    /// ## Software versions
    ///
    /// The client library is openai 2.8, on Python 3.12, in a container that is built for each release.
    /// ```
    DOCUMENTED_VERSION {
        id: "documented-version",
        checks: ["cross-documented-version"],
        kind: Document,
        languages: [Markup],
        plan: version,
    }
}

/// The texts between marks of a message.
fn marked(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

fn model(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let message = site.finding.message.as_str();
    let names = marked(message);
    let [documented, called, ..] = names.as_slice() else {
        return Err(NoFix::NoPlace);
    };
    let calls = &site.inventory.calls;
    let open = |kind: CallKind, model: &Option<String>| kind == CallKind::Call && model.is_none();
    if calls
        .iter()
        .any(|call| call.zone == Zone::Product && call.runs() && open(call.kind, &call.model))
    {
        return Err(NoFix::here(
            "the model of some calls comes from the environment; decide which one the document means",
        ));
    }
    let used: BTreeSet<&str> = calls
        .iter()
        .filter(|call| call.zone == Zone::Product)
        .filter_map(|call| call.model.as_deref())
        .chain(site.inventory.models.iter().map(|model| model.name.as_str()))
        .collect();
    if used.len() != 1 || !used.contains(called) {
        return Err(NoFix::here(
            "the code names several models; decide which one the document means",
        ));
    }
    if catalogue()
        .model(called)
        .is_some_and(|known| known.is_retired_on(site.as_of))
    {
        return Err(NoFix::here(format!(
            "`{called}` in the code is retired as well: replace it there first"
        )));
    }
    let code = site.file()?;
    let place = once(&code, documented)?;
    draft.replace(&code, place, called);
    draft.describe(format!(
        "Name the model `{called}` in the document, as the code calls it, instead of `{documented}`."
    ));
    draft.manual("Read the sentence around the name, and check results of tests in the document: they may be those of the old model.");
    Ok(())
}

fn version(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    // "The document names `openai` 1.30, but requirements.txt:1 pins 2.8.0"
    let message = site.finding.message.as_str();
    let name = marked(message).first().copied().ok_or(NoFix::NoPlace)?;
    let after = |mark: &str| {
        let (_, rest) = message.split_once(mark)?;
        let end = rest.find([',', ' ', ';']).unwrap_or(rest.len());
        rest.get(..end).map(|text| text.trim_end_matches('.'))
    };
    let (Some(old), Some(pinned)) = (after("` "), after(" pins ")) else {
        return Err(NoFix::NoPlace);
    };
    let parts = |text: &str| text.split('.').count();
    let bare = old.trim_start_matches(['v', '=']);
    let mut new: Vec<&str> = pinned.split('.').collect();
    new.truncate(parts(bare));
    if !bare.starts_with(|c: char| c.is_ascii_digit())
        || !pinned.starts_with(|c: char| c.is_ascii_digit())
        || new.is_empty()
    {
        return Err(NoFix::NoPlace);
    }
    let new = new.join(".");
    let code = site.file()?;
    let (line, _) = site.place()?;
    let start = code.offset(line, 1).ok_or(NoFix::NoPlace)?;
    let text = code.text.get(start..code.next_line(start)).unwrap_or("");
    let named = text.to_ascii_lowercase().find(&name.to_ascii_lowercase());
    let named = named.ok_or_else(|| NoFix::here(format!("the line does not name `{name}`")))?;
    let found = words(text, bare);
    let [only] = found.as_slice() else {
        return Err(NoFix::here(format!(
            "the line names the version {bare} more than once, or in another form"
        )));
    };
    if only.start < named {
        return Err(NoFix::here(
            "the version is before the name of the package; change it by hand",
        ));
    }
    let others = code.text.lines().enumerate().any(|(index, other)| {
        index + 1 != line as usize
            && !words(other, bare).is_empty()
            && other.to_ascii_lowercase().contains(&name.to_ascii_lowercase())
    });
    if others {
        return Err(NoFix::here(format!(
            "the document names `{name}` {bare} at several places; change them by hand"
        )));
    }
    draft.replace(&code, start + only.start..start + only.end, &new);
    draft.describe(format!(
        "Write the pinned version {new} of `{name}` into the document, instead of {bare}."
    ));
    draft.manual("Check that the document describes the system with this version.");
    Ok(())
}

/// The one place of a name in a document.
fn once(code: &Code, name: &str) -> Result<Range<usize>, NoFix> {
    if code.language != Language::Markup {
        return Err(NoFix::here("only documents in plain text are edited"));
    }
    let mut found = words(&code.text, name);
    if found.is_empty() {
        // The same bytes in another case: the name of a model is ASCII.
        found = words(&code.text.to_ascii_lowercase(), &name.to_ascii_lowercase());
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(NoFix::here(format!("the document does not name `{name}` in this form"))),
        _ => Err(NoFix::here(format!(
            "the document names `{name}` at several places; change them by hand"
        ))),
    }
}

/// The places of a word that is no part of a longer name.
fn words(text: &str, word: &str) -> Vec<Range<usize>> {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '@' | ':');
    if word.is_empty() {
        return Vec::new();
    }
    text.match_indices(word)
        .map(|(at, found)| at..at + found.len())
        .filter(|range| {
            let before = text.get(..range.start).and_then(|text| text.chars().next_back());
            let mut after = text.get(range.end..).unwrap_or("").chars();
            let (next, second) = (after.next(), after.next());
            // A dot goes on with the name where something follows it: `gpt-4` in `gpt-4.1`, but not at the end of a sentence.
            let goes_on =
                next.is_some_and(part) || (next == Some('.') && second.is_some_and(|c| c.is_ascii_alphanumeric()));
            !before.is_some_and(|c| part(c) || c == '.') && !goes_on
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_word_is_no_part_of_a_longer_name() {
        let starts = |text: &str, word: &str| {
            words(text, word)
                .iter()
                .map(|range| range.start)
                .collect::<Vec<usize>>()
        };
        assert_eq!(starts("gpt-4, gpt-4.1, gpt-4o and my-gpt-4.", "gpt-4"), [0]);
        assert_eq!(starts("It is gpt-4.", "gpt-4"), [6]);
        assert_eq!(starts("openai 1.30.5 and 1.30", "1.30"), [18]);
        assert!(words("x", "").is_empty());
    }
}
