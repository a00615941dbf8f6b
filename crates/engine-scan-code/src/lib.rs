//! L4: code, resolved over its imports: every place that sends data to a model, with its facts.
//!
//! `read` looks at one file and can be remembered by the digest of the file; `join` looks at all files of a project
//! together and is recomputed. Neither opens a file: texts that resolution needs again come from [`SourceText`].

mod addresses;
mod aliases;
mod arguments;
mod automation;
mod calls;
mod capabilities;
mod checks;
mod chosen_model;
mod commands;
mod config;
mod config_files;
mod crews;
mod dead_code;
mod entry;
mod faces;
mod facts;
mod first_party;
mod first_party_models;
mod flow;
mod graph;
mod http;
mod identity;
mod index;
mod injected_objects;
mod interface_clients;
mod join;
mod memo;
mod memory;
mod mentions;
mod message_handlers;
mod model_names;
mod model_text;
mod modules;
mod native_functions;
mod origins;
mod outline;
mod overridden_defaults;
mod people;
mod prefilter;
mod project;
mod prompt_files;
mod razor;
mod read;
mod readings;
mod repositories;
mod resolve;
mod retrofit;
mod senders;
mod service_mentions;
mod settings;
mod shapes;
mod signals;
#[cfg(test)]
mod tests;
mod threads;
mod traces;
mod unlisted_clients;
mod unused_components;
mod values;
mod wiring;
mod world;

use std::borrow::Borrow;
use std::collections::BTreeSet;

use engine_model::{
    Call, DataComponent, Ecosystem, EntryPoint, FileInfo, Language, LineRange, McpServer, ModelUse, PersonArea, Prompt,
    Service, SourceText, Structure, Zone,
};
use serde::{Deserialize, Serialize};

pub use aliases::declares_names;
pub use checks::{CHECKS, is_taken_to_practise, measures, only_rates};
pub use facts::{makes, names_talk};
pub use memory::{Changes, Remembered, join_again};
pub use message_handlers::EXTENSION as EXTENSION_ENTRY;
pub use modules::Modules;
pub use read::{CodeFacts, Unread, read};
pub use service_mentions::{Named, literal_in, may_name_a_service, named_service};

/// Names of packages that the manifests of a project hold; they settle import roots that are ordinary words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManifestNames {
    names: BTreeSet<(Ecosystem, String)>,
}

impl ManifestNames {
    /// Adds a package as its manifest spells it.
    pub fn insert(&mut self, ecosystem: Ecosystem, name: &str) {
        self.names
            .insert((ecosystem, engine_catalogue::normalize_name(ecosystem, name)));
    }

    /// Whether a manifest names the package.
    pub fn contains(&self, ecosystem: Ecosystem, name: &str) -> bool {
        self.names
            .contains(&(ecosystem, engine_catalogue::normalize_name(ecosystem, name)))
    }
}

impl FromIterator<(Ecosystem, String)> for ManifestNames {
    fn from_iter<T: IntoIterator<Item = (Ecosystem, String)>>(iter: T) -> Self {
        let mut names = Self::default();
        for (ecosystem, name) in iter {
            names.insert(ecosystem, &name);
        }
        names
    }
}

/// What the code of a project was observed to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CodeJoin {
    /// One record per place, in the order of files and lines; the system is not filled in yet.
    pub calls: Vec<Call>,
    /// Where the code is started or reached, with the calls that each leads to.
    pub entry_points: Vec<CodeEntryPoint>,
    /// Models named in code.
    pub models: Vec<ModelUse>,
    /// Hosted services that are reached.
    pub services: Vec<Service>,
    /// Prompts kept as long constants.
    pub prompts: Vec<Prompt>,
    /// Servers of the Model Context Protocol that the code implements or starts.
    pub mcp_servers: Vec<McpServer>,
    /// Data sets loaded by name.
    pub datasets: Vec<DataComponent>,
    /// Agents that the code defines.
    pub agents: Vec<AgentDefinition>,
    /// What the data of a call is attached to.
    pub signals: Vec<Signal>,
    /// Places that data flow connects and that matter to the law together.
    pub structures: Vec<CodeStructure>,
    /// Files in which more places deal with a model than are followed, sorted.
    pub cut: Vec<String>,
    /// Lines that the grammar could not read in the files that were resolved, by file.
    #[serde(default)]
    pub unparsed: Vec<(String, Vec<LineRange>)>,
    /// Components of web pages that nothing brings in, sorted.
    pub unused: Vec<String>,
}

/// A structure with the call in its middle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeStructure {
    /// Index into [`CodeJoin::calls`].
    pub call: usize,
    /// What was observed; its system is not filled in yet.
    pub structure: Structure,
}

/// An entry point and the calls that it leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeEntryPoint {
    /// The entry point.
    pub entry: EntryPoint,
    /// The part that its file plays.
    pub zone: Zone,
    /// Indexes into [`CodeJoin::calls`] that direct calls lead to, in order.
    pub calls: Vec<usize>,
}

/// An agent that the code defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentDefinition {
    /// Its name: as given to it, else the variable that holds it.
    pub name: String,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The library.
    pub framework: String,
    /// Who serves its model, where that could be resolved.
    pub provider: Option<String>,
    /// Its model, where that could be resolved.
    pub model: Option<String>,
    /// Names of the tools that it may call.
    pub tools: Vec<String>,
    /// Whether a person approves before a tool has an effect.
    pub human_approval: bool,
    /// The part that the file plays.
    pub zone: Zone,
}

/// What the data that a call sends, or its answer, is attached to. A signal raises a question, never a verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signal {
    /// Which kind of signal.
    pub kind: SignalKind,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// The names in code that carry it, such as `candidate.cv`.
    pub detail: String,
    /// Index into [`CodeJoin::calls`] of the call whose data flow carries it.
    pub call: usize,
}

/// Kinds of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SignalKind {
    /// Applicants, candidates, employees: Annex III point 4.
    Employment,
    /// Students, exams, admissions: Annex III point 3.
    Education,
    /// Loans, credit scores: Annex III point 5(b).
    Credit,
    /// Life and health insurance: Annex III point 5(c).
    Insurance,
    /// Benefits and public services: Annex III point 5(a).
    Benefits,
    /// Emergency calls and triage: Annex III point 5(d).
    Emergency,
    /// Patients and diagnoses: a question about medical devices.
    Health,
    /// Suspects, offences: Annex III point 6.
    LawEnforcement,
    /// Visa, asylum, borders: Annex III point 7.
    Migration,
    /// Courts, elections: Annex III point 8.
    Justice,
    /// Faces, voices, fingerprints used to recognise people: Annex III point 1.
    Biometric,
    /// Emotions read from people: Article 5(1)(f) and Annex III point 1(c).
    Emotion,
    /// Energy, water, traffic: Annex III point 2.
    Infrastructure,
    /// Fields by which a person can be moved, and a message to that person: Article 5(1)(a).
    Manipulation,
    /// Fields of a weakness of a person, and a message to that person: Article 5(1)(b).
    Vulnerability,
    /// A rating of social behaviour that is kept of a person: Article 5(1)(c).
    SocialScoring,
    /// Traits of an accused person beside the record of offences: Article 5(1)(d).
    CrimePrediction,
}

impl From<PersonArea> for SignalKind {
    fn from(area: PersonArea) -> Self {
        match area {
            PersonArea::Employment => Self::Employment,
            PersonArea::Education => Self::Education,
            PersonArea::Credit => Self::Credit,
            PersonArea::Insurance => Self::Insurance,
            PersonArea::Benefits => Self::Benefits,
            PersonArea::Emergency => Self::Emergency,
            PersonArea::Health => Self::Health,
            PersonArea::LawEnforcement => Self::LawEnforcement,
            PersonArea::Migration => Self::Migration,
            PersonArea::Justice => Self::Justice,
        }
    }
}

/// Whether a file is read by this layer at all.
#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "these endings are written in lower case"
)]
pub fn wants(path: &str, language: Language, zone: Zone) -> bool {
    let language = language_of(path, language);
    !matches!(zone, Zone::Vendored | Zone::Generated)
        && language.is_code()
        && engine_syntax::supports(language)
        && !path.ends_with(".d.ts")
        && !path.ends_with(".pyi")
}

/// The name of the language of product code that this layer does not parse. Such a file is searched for libraries and
/// addresses alone.
pub fn unread_language(path: &str, language: Language, zone: Zone) -> Option<&'static str> {
    let unread = engine_catalogue::catalogue()
        .unread_language(path)
        .filter(|_| zone == Zone::Product && !engine_syntax::supports(language))?;
    Some(&unread.name)
}

/// The language in which the code of a file is written: single-file components and pages hold scripts.
pub(crate) fn language_of(path: &str, language: Language) -> Language {
    if language == Language::Html && holds_scripts(path) {
        Language::TypeScript
    } else if razor::is_page(path) {
        Language::CSharp
    } else {
        language
    }
}

/// Whether a file holds scripts between its markup.
pub(crate) fn holds_scripts(path: &str) -> bool {
    engine_syntax::is_component(path) || engine_syntax::is_page(path)
}

/// The lowered code of a file.
pub(crate) fn lower(path: &str, language: Language, text: &str) -> Option<engine_syntax::Module> {
    if holds_scripts(path) {
        engine_syntax::lower_component(text)
    } else if razor::is_page(path) {
        engine_syntax::lower(language, &razor::as_csharp(text)?)
    } else {
        engine_syntax::lower(language, text)
    }
}

/// Joins the files of a project, in the order of their paths.
///
/// `source` gives the text again for files that the prefilter passed over but that resolution needs.
pub fn join<F: Borrow<CodeFacts>>(
    files: &[(FileInfo, F)],
    packages: &ManifestNames,
    source: &dyn SourceText,
) -> CodeJoin {
    let mut out = CodeJoin::default();
    for range in repositories::split(files) {
        let part: Vec<(&FileInfo, &CodeFacts)> = files[range]
            .iter()
            .map(|(info, facts)| (info, facts.borrow()))
            .collect();
        let renamed = aliases::renamed(&part, source);
        let part = aliases::with_renamed(&part, &renamed);
        let scripts = scripts_of(&part);
        let texts = modules::Texts::new(source, None);
        out.extend(join::join(&with_scripts(&part, &scripts), packages, source, &texts).0);
    }
    out
}

impl CodeJoin {
    /// Adds the join of another repository of the same folder; its files come after those that are here.
    fn extend(&mut self, other: Self) {
        let Self {
            calls,
            mut entry_points,
            models,
            services,
            prompts,
            mcp_servers,
            datasets,
            agents,
            mut signals,
            mut structures,
            cut,
            unparsed,
            unused,
        } = other;
        // Places in lists of calls move by as many as there are.
        let by = self.calls.len();
        for at in entry_points.iter_mut().flat_map(|entry| &mut entry.calls) {
            *at += by;
        }
        for signal in &mut signals {
            signal.call += by;
        }
        for structure in &mut structures {
            structure.call += by;
        }
        self.calls.extend(calls);
        self.entry_points.extend(entry_points);
        self.prompts.extend(prompts);
        self.mcp_servers.extend(mcp_servers);
        self.datasets.extend(datasets);
        self.agents.extend(agents);
        self.signals.extend(signals);
        self.signals.sort();
        self.structures.extend(structures);
        self.cut.extend(cut);
        self.unparsed.extend(unparsed);
        self.unused.extend(unused);
        for model in models {
            let same = |known: &&mut ModelUse| (&known.name, &known.provider) == (&model.name, &model.provider);
            match self.models.iter_mut().find(same) {
                Some(known) => known.occurrences.extend(model.occurrences),
                None => self.models.push(model),
            }
        }
        self.models
            .sort_by(|a, b| (&a.name, &a.provider).cmp(&(&b.name, &b.provider)));
        for service in services {
            let same = |known: &&mut Service| (&known.provider, &known.host) == (&service.provider, &service.host);
            match self.services.iter_mut().find(same) {
                Some(known) => known.occurrences.extend(service.occurrences),
                None => self.services.push(service),
            }
        }
        self.services
            .sort_by(|a, b| (&a.provider, &a.host).cmp(&(&b.provider, &b.host)));
    }
}

/// The single-file components among the files, and the pages whose scripts were read, in the language of these.
pub(crate) fn scripts_of(files: &[(&FileInfo, &CodeFacts)]) -> Vec<FileInfo> {
    files
        .iter()
        .filter(|(info, facts)| is_written_in_another(info, facts))
        .map(|(info, _)| FileInfo {
            language: language_of(&info.path, info.language),
            ..(*info).clone()
        })
        .collect()
}

/// Whether the code of a file is in another language than the file.
fn is_written_in_another(info: &FileInfo, facts: &CodeFacts) -> bool {
    language_of(&info.path, info.language) != info.language && (facts.parsed || !engine_syntax::is_page(&info.path))
}

/// The files with their components as resolution sees them; `scripts` stand in the order of the files.
pub(crate) fn with_scripts<'a>(
    files: &[(&'a FileInfo, &'a CodeFacts)],
    scripts: &'a [FileInfo],
) -> Vec<(&'a FileInfo, &'a CodeFacts)> {
    let mut next = scripts.iter().peekable();
    files
        .iter()
        .map(|(info, facts)| {
            let script = next.next_if(|script| script.path == info.path);
            (script.unwrap_or(info), *facts)
        })
        .collect()
}
