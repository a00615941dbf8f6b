//! The calls of a project by system, model and place, so that the work of the check grows with their number and not its square.

use std::collections::BTreeSet;

use engine_model::{Call, CallKind, CheckContext, ModelUse, System, TraceKind};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// A line of a file.
type Place<'a> = (&'a str, u32);

/// Where calls are found again.
pub(super) struct Calls<'a> {
    at: HashMap<Place<'a>, Vec<&'a Call>>,
    of_model: HashMap<(&'a str, &'a str), Vec<&'a Call>>,
    in_file: HashMap<(&'a str, &'a str, &'a str), Vec<&'a Call>>,
    /// Places whose names running calls are seen to take.
    taken: HashMap<(&'a str, &'a str), BTreeSet<Place<'a>>>,
    /// Models that the calls of a file ask for, by library, and whether one of these calls runs.
    asked: HashMap<(&'a str, &'a str, &'a str), HashMap<&'a str, bool>>,
    /// Whether the files of calls are tried by hand.
    tried: HashMap<&'a str, bool>,
}

impl<'a> Calls<'a> {
    pub(super) fn of(context: &CheckContext<'a>) -> Self {
        let mut out = Self {
            at: HashMap::default(),
            of_model: HashMap::default(),
            in_file: HashMap::default(),
            taken: HashMap::default(),
            asked: HashMap::default(),
            tried: HashMap::default(),
        };
        for call in &context.inventory.calls {
            out.at.entry((call.file.as_str(), call.line)).or_default().push(call);
            out.tried
                .entry(call.file.as_str())
                .or_insert_with(|| super::is_tried_by_hand(&call.file));
            let Some(system) = call.system.as_deref() else { continue };
            if let Some(model) = call.model.as_deref() {
                out.of_model.entry((system, model)).or_default().push(call);
                out.in_file
                    .entry((system, call.file.as_str(), model))
                    .or_default()
                    .push(call);
                if call.kind == CallKind::Call {
                    let asked = out
                        .asked
                        .entry((system, call.file.as_str(), call.sdk.as_deref().unwrap_or_default()))
                        .or_default();
                    *asked.entry(model).or_default() |= call.runs();
                }
            }
            if call.runs()
                && let Some(trace) = call.traced(TraceKind::ModelNamed)
            {
                for place in &trace.chain {
                    if let (Some(file), Some(line)) = (place.file.as_deref(), place.line) {
                        out.taken
                            .entry((system, place.reference.as_str()))
                            .or_default()
                            .insert((file, line));
                    }
                }
            }
        }
        out
    }

    /// The calls of a system at a place that ask for a model.
    pub(super) fn at(&self, system: &'a System, model: &'a str, place: Place<'a>) -> impl Iterator<Item = &'a Call> {
        self.all_at(place).filter(move |call| {
            call.system.as_deref() == Some(system.id.as_str()) && call.model.as_deref() == Some(model)
        })
    }

    /// Whether somebody runs a file by hand; asked several times for each place.
    pub(super) fn is_tried_by_hand(&self, file: &str) -> bool {
        let known = self.tried.get(file).copied();
        known.unwrap_or_else(|| super::is_tried_by_hand(file))
    }

    /// All calls at a place.
    pub(super) fn all_at(&self, place: Place<'a>) -> impl Iterator<Item = &'a Call> {
        self.at.get(&place).into_iter().flatten().copied()
    }

    /// The calls of a system that ask for a model.
    pub(super) fn of_model(&self, system: &'a System, model: &'a str) -> &[&'a Call] {
        self.of_model
            .get(&(system.id.as_str(), model))
            .map_or(&[], Vec::as_slice)
    }

    /// The same in one file.
    pub(super) fn in_file(&self, system: &'a System, model: &'a str, file: &'a str) -> &[&'a Call] {
        self.in_file
            .get(&(system.id.as_str(), file, model))
            .map_or(&[], Vec::as_slice)
    }

    /// Whether a running call of a system is seen to take the name of a model from a place.
    pub(super) fn takes_from(&self, system: &'a System, model: &'a str, place: Place<'a>) -> bool {
        self.taken
            .get(&(system.id.as_str(), model))
            .is_some_and(|places| places.contains(&place))
    }

    /// Whether something is only made, while what its file asks is a model of another name, or nothing leads to where it asks.
    pub(super) fn is_passed_over(&self, system: &'a System, made: &'a Call) -> bool {
        let (CallKind::Construct, Some(model)) = (made.kind, made.model.as_deref()) else {
            return false;
        };
        let asked = self.asked.get(&(
            system.id.as_str(),
            made.file.as_str(),
            made.sdk.as_deref().unwrap_or_default(),
        ));
        asked.is_some_and(|asked| !asked.is_empty() && asked.get(model) != Some(&true))
    }
}

/// The places where models are named, by model and file.
pub(super) struct Occurrences<'a>(Vec<HashMap<&'a str, Vec<u32>>>);

impl<'a> Occurrences<'a> {
    pub(super) fn of(models: &'a [ModelUse]) -> Self {
        let of = |model: &'a ModelUse| {
            let mut files: HashMap<&str, Vec<u32>> = HashMap::default();
            for (file, line) in model.occurrences.iter().filter_map(|text| super::place(text)) {
                files.entry(file).or_default().push(line);
            }
            files
        };
        Self(models.iter().map(of).collect())
    }

    /// The places where a model is named in some files, by the number of the model.
    pub(super) fn within(&self, model: usize, files: &HashSet<&'a str>) -> Vec<(&'a str, &[u32])> {
        let Some(named) = self.0.get(model) else {
            return Vec::new();
        };
        let mut out: Vec<(&str, &[u32])> = if named.len() < files.len() {
            let mine = named.iter().filter(|(file, _)| files.contains(*file));
            mine.map(|(file, lines)| (*file, lines.as_slice())).collect()
        } else {
            let mine = files.iter().filter_map(|file| named.get_key_value(file));
            mine.map(|(file, lines)| (*file, lines.as_slice())).collect()
        };
        out.sort_unstable();
        out
    }
}
