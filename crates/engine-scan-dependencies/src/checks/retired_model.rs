//! `l3-retired-model`: a model that its provider has retired, or an API that its provider has switched off.

mod calls;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use engine_catalogue::{Interface, catalogue};
use engine_model::{
    Applies, Call, CallKind, CheckContext, Date, EntryPointKind, EvidenceKind, Impact, Language, Location, ModelUse,
    ObservationBuilder, Report, Severity, System, TraceKind, Zone, declare_check, is_close, is_soon,
};

use rustc_hash::FxHashSet as HashSet;

use calls::{Calls, Occurrences};

declare_check! {
    /// Retired model.
    ///
    /// Calls to a retired model fail, or the provider substitutes another model. The system then no longer runs the model that was
    /// tested and documented (Article 15(1)).
    /// This check reports retired models in every system, because the calls break even where no obligation applies.
    /// It also reports models that will be retired within three months, or within a year for a high-risk system.
    /// A model in use that ends within a month has the severity of a retired one.
    /// The finding is at the place of the model name. Its evidence lists the calls, and its message names the provider's page with the date.
    /// Setup scripts, scripts that only test a key, and debug routes are not reported.
    ///
    /// The check also reports a provider API that was switched off, with any model (for example the Assistants API of OpenAI).
    /// That finding is at the first call, and its message names the API.
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
        impact: Breaks,
        fix: "Move to a model that the provider still serves. Test the system with it again.",
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
    /// A call of the model, if it is at another place.
    asked: String,
    /// Further models next to it.
    beside: Vec<Beside<'a>>,
    places: Vec<(&'a str, u32)>,
    /// The places of all names in the same list, table or branches.
    choice: Vec<(&'a str, u32)>,
    /// Whether a call is known to use this model, and not another one instead.
    is_asked: bool,
    /// Further places of the same name in the product.
    again: Vec<(&'a str, u32)>,
    /// The unknown host that all calls go to.
    relay: Option<&'a str>,
}

impl Named<'_> {
    /// The place of the name, and of its first call.
    fn place(&self) -> String {
        let (file, line) = self.at;
        match self.asked.as_str() {
            "" => format!("{file}:{line}"),
            call => format!("{file}:{line}, called at {call}"),
        }
    }

    /// Text on the models next to it, its other places and its host.
    fn others(&self) -> String {
        let told = self.beside.iter().take(BESIDE_TOLD);
        let mut out = told.fold(String::new(), |mut out, other| {
            let (file, line) = other.at;
            let _ = write!(
                out,
                "; `{}` next to it ({file}:{line}) {} on {}",
                other.name,
                if other.is_gone {
                    "was retired"
                } else {
                    "will be retired"
                },
                other.date
            );
            out
        });
        if let Some(host) = self.relay {
            let _ = write!(out, "; the calls go to `{host}`, which may still serve it");
        }
        if let Some((file, line)) = self.again.first() {
            let _ = match self.again.len() {
                1 => write!(out, "; the same name is also at {file}:{line}"),
                more => write!(out, "; the same name is at {more} other places, first {file}:{line}"),
            };
        }
        if let Some(more @ 1..) = self.beside.len().checked_sub(BESIDE_TOLD) {
            let _ = write!(out, "; {more} more models next to it are or will be retired");
        }
        out
    }

    /// Whether two names are one choice: in one list, table or chain of branches, or close to one another if no call uses either.
    fn is_one_choice_with(&self, other: &Self) -> bool {
        let close = !self.is_asked
            && !other.is_asked
            && self.at.0 == other.at.0
            && self.at.1.abs_diff(other.at.1) <= CHOICE_LINES;
        close || self.choice.contains(&other.at) || other.choice.contains(&self.at)
    }

    /// Takes over a name of the same choice.
    fn take(&mut self, other: Self, on: Date) {
        self.beside.push(Beside {
            name: &other.model.name,
            at: other.at,
            date: other.date,
            is_gone: other.date <= on,
        });
        self.beside.extend(other.beside);
        self.choice.extend(other.choice);
        let mut told = BTreeSet::from([self.model.name.as_str()]);
        self.beside.sort_by_key(|beside| (beside.date, beside.at, beside.name));
        self.beside.retain(|beside| told.insert(beside.name));
    }
}

/// Systems that get their own finding on a model that they name at different places.
const SYSTEMS_TOLD: usize = 4;

/// Further names that a message lists.
const BESIDE_TOLD: usize = 8;

/// Files of identical content that are compared.
const COPIES_MAX: usize = 32;

/// Lines between two names of one choice that no call uses by themselves.
const CHOICE_LINES: u32 = 8;

/// One model per choice: the name that a call uses, else the first.
fn choices<'a>(calls: &Calls<'a>, mut all: Vec<Named<'a>>, on: Date) -> Vec<Named<'a>> {
    all.sort_by_key(|named| (!named.is_asked, calls.is_tried_by_hand(named.at.0), named.at));
    let mut out: Vec<Named<'a>> = Vec::new();
    for named in all {
        match out.iter_mut().find(|known| known.is_one_choice_with(&named)) {
            Some(known) => known.take(named, on),
            None => out.push(named),
        }
    }
    out
}

/// A model that is offered next to another one, and is or will be retired too.
struct Beside<'a> {
    name: &'a str,
    at: (&'a str, u32),
    date: Date,
    is_gone: bool,
}

fn run(context: &CheckContext<'_>, report: &mut Report) {
    // Where no duty binds, a name that several systems share is told once for the place where it is written, and of a collection of many
    // systems only for the first of them.
    let mut told: BTreeMap<&str, BTreeSet<(&str, u32)>> = BTreeMap::new();
    let mut switched_off: BTreeSet<(&str, u32)> = BTreeSet::new();
    let copies = copies(context);
    let calls = Calls::of(context);
    let occurrences = Occurrences::of(&context.inventory.models);
    let mut files_of: BTreeMap<&str, HashSet<&str>> = BTreeMap::new();
    for call in &context.inventory.calls {
        if let Some(system) = call.system.as_deref() {
            files_of.entry(system).or_default().insert(&call.file);
        }
    }
    for system in context.systems {
        let bound = binds(system);
        let own_files: HashSet<&str> = system.files.iter().map(String::as_str).collect();
        let mut files = files_of.remove(system.id.as_str()).unwrap_or_default();
        files.extend(own_files.iter().copied());
        interfaces(context, &calls, system, bound, &mut switched_off, report);
        let mut coming: Vec<Named<'_>> = Vec::new();
        let mut gone: Vec<Named<'_>> = Vec::new();
        // Two providers may serve a model of one name; the name is exchanged once.
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (number, model) in context.inventory.models.iter().enumerate() {
            // A date that is far away is told in the inventory; nothing need be done about it now.
            let Some(date) = model.retirement(context.as_of) else {
                continue;
            };
            // Only a place in the system's own files makes it the system's model, and a name that is sent to another provider
            // is not known there.
            let mut places: Vec<(&str, u32)> = Vec::new();
            for (file, lines) in occurrences.within(number, &files) {
                if is_put_away(file) || copies.contains(file) {
                    continue;
                }
                let here = calls.in_file(system, &model.name, file);
                let counts = here.iter().any(|call| {
                    call.runs()
                        && serves(call, model)
                        && (bound || call.provider.is_some())
                        && !is_for_debugging(system, call)
                        && !calls.is_passed_over(system, call)
                        && !is_over_gone_interface(call, context.as_of)
                });
                let merely_stands = here.is_empty() && own_files.contains(file);
                let kept = lines.iter().filter(|line| counts || merely_stands && **line > 0);
                places.extend(kept.map(|line| (file, *line)));
            }
            // What ships is worth more than what is tried by hand.
            // A name that a call is seen to take comes before one that merely stands somewhere.
            let of_call = |place: &(&str, u32)| {
                calls.takes_from(system, &model.name, *place) || calls.at(system, &model.name, *place).next().is_some()
            };
            // A call that nothing leads to comes after one that runs.
            let idle = |place: &(&str, u32)| {
                calls
                    .at(system, &model.name, *place)
                    .any(|call| !call.runs() || call.traced(TraceKind::Unimported).is_some())
            };
            places.sort_by_cached_key(|place| (calls.is_tried_by_hand(place.0), idle(place), !of_call(place), *place));
            // A tool of an agent whose answer goes to people is no helper of those who build.
            let is_shown = |place: &(&str, u32)| {
                calls
                    .all_at(*place)
                    .any(|call| call.system.as_deref() == Some(system.id.as_str()) && !call.effects.is_empty())
            };
            let first = places.first().copied();
            let Some((file, line)) = first.filter(|place| !is_helper(place.0) || is_shown(place)) else {
                continue;
            };
            if seen.contains(model.name.as_str()) {
                continue;
            }
            // The place to change is where the name is written; the call that asks for it is evidence.
            let call = (file, line);
            let mut spelled = places
                .iter()
                .filter(|(file, _)| !calls.is_tried_by_hand(file))
                .map(|place| written(&calls, system, model, *place))
                .find(|spelled| !spelled.is_empty())
                .unwrap_or_else(|| written(&calls, system, model, call));
            spelled.sort_by_key(|(_, file, line)| (calls.is_tried_by_hand(file), *file, *line));
            let is_own = |(name, ..): &(&str, &str, u32)| *name == model.name;
            let own: Vec<(&str, u32)> = spelled
                .iter()
                .filter(|place| is_own(place))
                .map(|(_, file, line)| (*file, *line))
                .collect();
            let mut beside: Vec<Beside<'_>> = spelled
                .iter()
                .filter(|place| !is_own(place))
                .filter_map(|(name, file, line)| also(context, model, name, (*file, *line)))
                .collect();
            beside.sort_by_key(|beside| (beside.date, beside.at, beside.name));
            let (file, line) = own.first().copied().unwrap_or(call);
            let known = told.entry(&model.name).or_default();
            if !bound && (known.contains(&(file, line)) || known.len() >= SYSTEMS_TOLD) {
                continue;
            }
            known.insert((file, line));
            seen.insert(&model.name);
            let choice = spelled.iter().map(|(_, file, line)| (*file, *line)).collect();
            let is_asked = calls.of_model(system, &model.name).iter().any(|record| {
                // What is only made, and handed to whatever asks, is one choice with what is made beside it.
                record.kind == CallKind::Call && serves(record, model)
            });
            places.extend(own.iter().skip(1));
            // Each further place that is worth a look is told where the name itself is written.
            let again: BTreeSet<(&str, u32)> = places
                .iter()
                .filter(|place| **place != call && !idle(place) && !calls.is_tried_by_hand(place.0))
                .flat_map(|place| written(&calls, system, model, *place))
                .filter(is_own)
                .map(|(_, file, line)| (file, line))
                .chain(own.iter().copied())
                .filter(|place| *place != (file, line) && !calls.is_tried_by_hand(place.0))
                .collect();
            let asked = match first_call(&calls, system, model, (file, line)) {
                Some((file, line)) => format!("{file}:{line}"),
                None => String::new(),
            };
            let named = Named {
                model,
                date,
                at: (file, line),
                asked,
                beside,
                places,
                choice,
                is_asked,
                again: again.into_iter().collect(),
                relay: relay(&calls, system, model),
            };
            if date > context.as_of {
                coming.push(named);
            } else {
                gone.push(named);
            }
        }
        for named in choices(&calls, gone, context.as_of) {
            let (file, line) = named.at;
            let entry = report
                .fail(
                    90,
                    format!(
                        "The model `{}` ({}) was retired by its provider on {}: calls fail, or another model answers{}{}.{}",
                        named.model.name,
                        named.place(),
                        named.date,
                        floating(named.model),
                        named.others(),
                        sources(&[&named])
                    ),
                )
                .severity(if named.is_asked {
                    Severity::High
                } else {
                    Severity::Medium
                })
                .system(system)
                .at(Location::line(file, line))
                .anchor(named.model.name.as_str());
            evidence(entry, &named);
        }
        if !bound {
            coming.retain(|named| named.model.retires_soon(context.as_of));
        }
        let by_hand = |named: &Named<'_>| {
            named
                .places
                .first()
                .is_none_or(|(file, _)| calls.is_tried_by_hand(file))
        };
        // A model in use that ends within a month needs action now, like a retired one.
        let is_pressing = |named: &Named<'_>| named.is_asked && is_close(named.date, context.as_of);
        coming.sort_by(|a, b| {
            (!is_pressing(a), a.date, by_hand(a), &a.model.name).cmp(&(
                !is_pressing(b),
                b.date,
                by_hand(b),
                &b.model.name,
            ))
        });
        let Some(first) = coming.first() else { continue };
        let (file, line) = first.at;
        let others: Vec<String> = coming
            .iter()
            .skip(1)
            .take(3)
            .map(|named| format!("`{}` on {}", named.model.name, named.date))
            .collect();
        let others = match others.len() {
            0 => first.others(),
            _ => format!(", and {}{}", others.join(", "), first.others()),
        };
        let told: Vec<&Named<'_>> = coming.iter().take(4).collect();
        let mut entry = report
            .info(
                90,
                format!(
                    "The model `{}` ({}) will be retired by its provider on {}{}{others}.{}",
                    first.model.name,
                    first.place(),
                    first.date,
                    floating(first.model),
                    sources(&told)
                ),
            )
            .severity(if is_pressing(first) {
                Severity::High
            } else if first.model.retires_soon(context.as_of) {
                Severity::Medium
            } else {
                Severity::Info
            })
            .impact(if first.model.retires_soon(context.as_of) {
                Impact::Breaks
            } else {
                Impact::Prepares
            })
            .title("Upcoming model retirement")
            .system(system)
            .at(Location::line(file, line))
            .anchor(first.model.name.as_str());
        for named in &coming {
            entry = evidence(entry, named);
        }
    }
}

/// An interface that ended, its last day, and the places of its calls.
type Gone<'i, 'a> = (&'i Interface, Date, Vec<(&'a str, u32)>);

/// Reports the interfaces that a system's calls go over and that their providers have switched off, or soon will.
fn interfaces<'a>(
    context: &CheckContext<'a>,
    calls: &Calls<'a>,
    system: &System,
    bound: bool,
    told: &mut BTreeSet<(&'a str, u32)>,
    report: &mut Report,
) {
    let mut gone: BTreeMap<&str, Gone<'_, 'a>> = BTreeMap::new();
    for call in context.inventory.calls.iter().filter(|call| {
        call.system.as_deref() == Some(system.id.as_str())
            && matches!(call.kind, CallKind::Call | CallKind::Declare)
            && call.runs()
            && !is_put_away(&call.file)
            && !calls.is_tried_by_hand(&call.file)
            && !is_for_debugging(system, call)
    }) {
        let known = call
            .provider
            .as_deref()
            // Where only the environment knows the address, somebody else may answer under the same names.
            .filter(|_| !call.is_of_unknown_host())
            .and_then(|provider| catalogue().interface(provider, &call.symbol, call.host.as_deref()));
        let Some(interface) = known else { continue };
        let Ok(date) = interface.ended.parse::<Date>() else {
            continue;
        };
        let entry = gone
            .entry(&interface.title)
            .or_insert_with(|| (interface, date, Vec::new()));
        entry.2.push((call.file.as_str(), call.line));
    }
    for (title, (interface, date, mut places)) in gone {
        places.sort_unstable();
        places.dedup();
        let Some(first) = places.first().copied() else { continue };
        let ended = date <= context.as_of;
        if !ended && !bound && !is_soon(date, context.as_of) || !told.insert(first) {
            continue;
        }
        let who = catalogue()
            .provider(&interface.provider)
            .map_or("its provider", |known| known.title.as_str());
        let mut entry = if ended {
            report.fail(
                90,
                format!(
                    "The {title} of {who} ({}:{}) was switched off {}: calls fail with every model. {} took its place. Source: {} (as of {}).",
                    first.0,
                    first.1,
                    if interface.at_latest {
                        format!("by {date} at the latest")
                    } else {
                        format!("on {date}")
                    },
                    capital(&interface.instead),
                    interface.page,
                    interface.read
                ),
            )
            .severity(Severity::High)
        } else {
            report
                .info(
                    90,
                    format!(
                        "The {title} of {who} ({}:{}) will be switched off on {date}: calls will then fail with every model. {} takes its place. Source: {} (as of {}).",
                        first.0,
                        first.1,
                        capital(&interface.instead),
                        interface.page,
                        interface.read
                    ),
                )
                .severity(if is_close(date, context.as_of) {
                    Severity::High
                } else if is_soon(date, context.as_of) {
                    Severity::Medium
                } else {
                    Severity::Info
                })
                .impact(if is_soon(date, context.as_of) {
                    Impact::Breaks
                } else {
                    Impact::Prepares
                })
        };
        entry = entry
            .title(if ended {
                "Retired provider API"
            } else {
                "Upcoming provider API shutdown"
            })
            .system(system)
            .at(Location::line(first.0, first.1))
            .anchor(title)
            .fix(format!(
                "Move the calls to {}. Test the system with it again.",
                interface.instead
            ));
        for (file, line) in places.iter().take(40) {
            entry = entry.evidence(EvidenceKind::Code, title, file, *line);
        }
    }
}

/// A text with a capital first letter.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + chars.as_str())
        .unwrap_or_default()
}

/// The first call that asks for a model, unless it stands where the name does; a call of a provider that has no such model asks for none.
fn first_call<'a>(
    calls: &Calls<'a>,
    system: &'a System,
    model: &'a ModelUse,
    at: (&str, u32),
) -> Option<(&'a str, u32)> {
    let fits = |place: &(&'a str, u32)| {
        let mut own = calls.at(system, &model.name, *place).peekable();
        if own.peek().is_some() {
            return own.any(|call| serves(call, model));
        }
        // What another system asks for is told there.
        !calls.all_at(*place).any(|call| {
            call.model.as_deref() == Some(&model.name) && call.system.as_ref().is_some_and(|id| *id != system.id)
        })
    };
    let named = model.occurrences.iter().filter_map(|text| place(text));
    let mut asked: Vec<(&str, u32)> = named
        .filter(|(file, _)| !is_put_away(file) && Zone::of_path(file, "") == Zone::Product)
        .filter(fits)
        .collect();
    asked.sort_by_cached_key(|(file, line)| (calls.is_tried_by_hand(file), *file, *line));
    // A call goes over a few lines, and names its model on one of them.
    let near = asked
        .iter()
        .any(|(file, line)| *file == at.0 && line.abs_diff(at.1) <= CALL_LINES);
    asked.first().copied().filter(|_| !near)
}

/// Lines of a call within which its model is named.
const CALL_LINES: u32 = 12;

/// A model that is offered beside another, where it ends in a time that matters and no call is known to ask for it.
fn also<'a>(context: &CheckContext<'a>, model: &ModelUse, name: &'a str, at: (&'a str, u32)) -> Option<Beside<'a>> {
    let asked = |known: &ModelUse| known.name == name && known.retirement(context.as_of).is_some();
    if context.inventory.models.iter().any(asked) {
        return None;
    }
    let date: Date = catalogue()
        .model(name)?
        .retired_by(model.provider.as_deref())?
        .parse()
        .ok()?;
    let this = model.retirement(context.as_of)?;
    // What ends later than the model itself is told when its time comes.
    let late = date > this && date > context.as_of;
    (!late).then_some(Beside {
        name,
        at,
        date,
        is_gone: date <= context.as_of,
    })
}

/// Where the name of a model is written that the call at a place asks for: one place, or each from which it is handed over; and names
/// beside it.
fn written<'a>(
    calls: &Calls<'a>,
    system: &'a System,
    model: &'a ModelUse,
    at: (&'a str, u32),
) -> Vec<(&'a str, &'a str, u32)> {
    let call = calls
        .at(system, &model.name, at)
        .find(|call| call.traced(TraceKind::ModelNamed).is_some());
    call.and_then(|call| call.traced(TraceKind::ModelNamed))
        .into_iter()
        .flat_map(|trace| &trace.chain)
        .filter_map(|place| Some((place.reference.as_str(), place.file.as_deref()?, place.line?)))
        .collect()
}

/// Whether a call goes over an interface that has ended: it fails with any model, and that is said by itself.
fn is_over_gone_interface(call: &Call, on: Date) -> bool {
    let provider = call.provider.as_deref().filter(|_| !call.is_of_unknown_host());
    let known = provider.and_then(|provider| catalogue().interface(provider, &call.symbol, call.host.as_deref()));
    let ended = known.and_then(|known| known.ended.parse::<Date>().ok());
    ended.is_some_and(|day| day <= on)
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
        let debug = entry
            .name
            .split(['/', '-', '_', '.'])
            .any(|part| part.eq_ignore_ascii_case("debug"));
        let mut segments = entry.name.split(['/', ' ']).filter(|part| !part.is_empty());
        // `/api/ai/test` tries the model; `/api/test` may be an exam.
        let tries = segments
            .next_back()
            .is_some_and(|last| last.eq_ignore_ascii_case("test"))
            && segments.any(|part| MODEL_WORDS.contains(&part.to_ascii_lowercase().as_str()));
        debug || tries
    })
}

/// What names say that have to do with a model and nothing else.
const MODEL_WORDS: [&str; 13] = [
    "ai",
    "llm",
    "gpt",
    "openai",
    "gemini",
    "claude",
    "anthropic",
    "groq",
    "mistral",
    "ollama",
    "model",
    "models",
    "genai",
];

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
    // Nor is it known whose days hold where only the environment knows the address, nor do those of a maker hold in a cloud with its own.
    if call.is_of_unknown_host() || provider.starts_with("azure") || provider == "github-models" {
        return false;
    }
    provider == maker || !own && !catalogue().models().iter().any(|row| row.provider == provider)
}

/// The host of which nothing is known that all calls for a model go to.
fn relay<'a>(calls: &Calls<'a>, system: &'a System, model: &'a ModelUse) -> Option<&'a str> {
    let mut hosts = calls
        .of_model(system, &model.name)
        .iter()
        .filter(|call| call.kind == CallKind::Call)
        .map(|call| call.host.as_deref());
    let first = hosts.next()??;
    let unknown = catalogue().host(first).is_none() && first.contains('.') && !first.starts_with("127.");
    (unknown && hosts.all(|host| host == Some(first))).then_some(first)
}

/// Files of code that are the same as one at their own path nearer to the root: `backup/src/bot.js` beside `src/bot.js`. The other is the one
/// to change.
fn copies<'a>(context: &CheckContext<'a>) -> BTreeSet<&'a str> {
    let mut alike: BTreeMap<[u8; 32], Vec<&str>> = BTreeMap::new();
    for file in context.product_files().filter(|file| file.language.is_code()) {
        alike.entry(file.digest).or_default().push(&file.path);
    }
    let is_copy = |path: &str, others: &[&str]| {
        others
            .iter()
            .any(|other| path.strip_suffix(other).is_some_and(|before| before.ends_with('/')))
    };
    alike
        .values()
        // What stands in very many places, such as an empty `__init__.py`, is no copy of anything.
        .filter(|paths| (2..=COPIES_MAX).contains(&paths.len()))
        .flat_map(|paths| paths.iter().copied().filter(|path| is_copy(path, paths)))
        .collect()
}

/// Whether a file lies in a folder for what is no longer in use.
fn is_put_away(file: &str) -> bool {
    file.rsplit('/').skip(1).any(|folder| {
        let folder = folder.trim_matches('_').to_ascii_lowercase();
        let whole = matches!(
            folder.as_str(),
            "old"
                | "legacy"
                | "legacy_code"
                | "backup"
                | "backups"
                | "bak"
                | "deprecated"
                | "archive"
                | "archived"
                | "unused"
        );
        // `Obsolete Workflows`, `app_old`; an `archive-service` may well be one.
        let mut words = folder.split([' ', '-', '_']);
        // `Versões anteriores`, `previous versions`.
        let earlier = words
            .clone()
            .any(|word| word.starts_with("anterior") || word == "previous")
            && words.clone().any(|word| word.starts_with("vers"));
        let says = |word: &str| matches!(word, "deprecated" | "abandoned" | "unused") || word.starts_with("obsol");
        whole
            || earlier
            || words.clone().any(says)
            || words.next_back() == Some("old")
            || folder.starts_with("old_")
            || folder.starts_with("old ")
    })
}

/// Whether a file is a notebook, a helper or an evaluation: these are run by hand.
fn is_tried_by_hand(file: &str) -> bool {
    let measures = |folder: &str| matches!(folder, "eval" | "evals" | "evaluation" | "evaluations" | "benchmarks");
    // Cargo builds what lies below `src`, unless its settings say otherwise.
    let is_built = |file: &str| {
        file.rsplit('/')
            .skip(1)
            .any(|folder| matches!(folder, "src" | "app" | "bin" | "crates"))
    };
    Language::of_path(file) == Language::Notebook
        || Language::of_path(file) == Language::Rust && file.contains('/') && !is_built(file)
        || is_helper(file)
        || file.rsplit('/').skip(1).any(measures)
}

/// Whether a file lies among the tools of those who build the system. Below its sources, tools are those of an agent.
fn is_helper(file: &str) -> bool {
    let folders: Vec<&str> = file
        .rsplit_once('/')
        .map_or_else(Vec::new, |(folder, _)| folder.split('/').collect());
    let of_sources = |before: &[&str]| {
        before.iter().any(|folder| {
            matches!(
                *folder,
                "src" | "app" | "lib" | "pkg" | "internal" | "agent" | "agents" | "backend" | "server" | "api" | "core"
            )
        })
    };
    folders.iter().enumerate().any(|(at, folder)| match *folder {
        "tools" => !of_sources(&folders[..at]),
        "scripts" | "script" | "tooling" | "qa" | "dev" | "debug" | "maintenance" | "bin" => true,
        _ => false,
    }) || sets_up(file)
}

/// Whether a file outside of the sources is a script that somebody runs once: `setup-gemini.js`, `check_key.py`, `testApiKey.js`.
fn sets_up(file: &str) -> bool {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    let stem = name.split('.').next().unwrap_or(name);
    let of_sources = folder
        .split('/')
        .any(|part| matches!(part, "src" | "app" | "lib" | "pkg" | "internal"));
    if of_sources {
        return false;
    }
    let words = words_of(stem);
    let [first, rest @ ..] = words.as_slice() else {
        return false;
    };
    let of_models = || {
        rest.iter()
            .any(|word| MODEL_WORDS.contains(&word.as_str()) || matches!(word.as_str(), "key" | "keys" | "connection"))
    };
    !rest.is_empty()
        && match first.as_str() {
            "setup" | "install" | "debug" | "check" | "verify" | "diagnose" | "smoke" | "seed" => {
                stem.contains(['-', '_']) || of_models()
            }
            "test" | "try" | "list" | "find" => of_models(),
            _ => false,
        }
}

/// The words of a name in small letters: `testApiKey` as `test`, `api`, `key`.
fn words_of(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut before_is_small = false;
    let mut starts = true;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            starts = true;
            continue;
        }
        if starts || c.is_uppercase() && before_is_small {
            out.push(String::new());
        }
        if let Some(word) = out.last_mut() {
            word.extend(c.to_lowercase());
        }
        before_is_small = c.is_lowercase();
        starts = false;
    }
    out
}

/// The source pages of the retirement dates, as a sentence.
fn sources(told: &[&Named<'_>]) -> String {
    let names = told.iter().flat_map(|named| {
        let provider = named.model.provider.as_deref();
        let beside = named.beside.iter().take(BESIDE_TOLD).map(|beside| beside.name);
        std::iter::once(named.model.name.as_str())
            .chain(beside)
            .map(move |name| (name, provider))
    });
    let mut pages: Vec<(&str, Option<&str>)> = Vec::new();
    for (name, provider) in names {
        let Some(known) = catalogue().model(name) else { continue };
        // The day of a cloud stands elsewhere.
        let is_makers = known.retired.is_some() && known.retired_by(provider) == known.retired;
        if let Some((page, read)) = known.source.filter(|_| is_makers)
            && pages.iter().all(|(known, _)| *known != page)
        {
            pages.push((page, read));
        }
    }
    let pages: Vec<String> = pages
        .iter()
        .map(|(page, read)| match read {
            Some(read) => format!("{page} (as of {read})"),
            None => (*page).to_owned(),
        })
        .collect();
    match pages.len() {
        0 => String::new(),
        1 => format!(" Source: {}.", pages.concat()),
        _ => format!(" Sources: {}.", pages.join(", ")),
    }
}

/// Note on a name that does not pin a version.
fn floating(model: &ModelUse) -> &'static str {
    if model.pinned == Some(false) {
        "; the name is also not pinned to a version"
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
    for other in &named.beside {
        entry = entry.evidence(EvidenceKind::Code, other.name, other.at.0, other.at.1);
    }
    entry
}
