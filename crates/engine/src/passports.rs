//! Passports of agents: made from a scan, kept as files beside the project, each change with its entry in the chain.

mod changes;
mod identity;
mod reading;
mod requests;
mod writing;

use std::collections::BTreeMap;

use engine_model::{Agent, ErrorCode, Failure, ScanResult, System};
use engine_passport::{Document, Facts, generate, regenerate, slug};
use engine_regulation::regulation;
use engine_scanner::StatedClass;

pub use changes::{FieldChange, PassportChanges};
pub use reading::passport_completeness;
pub use requests::{
    AgentAutonomy, AgentCompleteness, AutonomyEvidence, AutonomyReply, ChainState, CompletenessReply, ExportReply,
    ExportRequest, ImportReply, ImportRequest, InitReply, InitRequest, NamedRequest, NotMade, RegistryEntry,
    RenameRequest, ValidationReply,
};

use crate::project::ProjectState;
use crate::scan::{Running, ScanHooks};
use crate::{Engine, VERSION};

/// The folder of passports in the state directory.
const FOLDER: &str = "passports";

/// The folder of what was imported, as it came, and of what was replaced.
const ORIGINALS: &str = "passports/originals";

/// The folder of passports in other formats.
const EXPORTS: &str = "reports";

/// Most passports of one project that are read.
const PASSPORTS_MAX: usize = 10_000;

/// Bytes of all passports of one project that are read; one has some ten thousand.
const PASSPORTS_BYTES_MAX: usize = 32 * 1024 * 1024;

/// A passport as it lies in its file.
pub(crate) struct Stored {
    pub(crate) slug: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) document: Result<Document, String>,
}

impl Stored {
    fn document(&self) -> Option<&Document> {
        self.document.as_ref().ok()
    }

    fn path(&self) -> String {
        path_of(&self.slug)
    }
}

/// An agent of the code as it is now, with the passport that it would get.
struct Seen {
    agent: Agent,
    system: System,
    fresh: Document,
}

/// Path of a passport, relative to the state directory.
fn path_of(slug: &str) -> String {
    format!("{FOLDER}/{slug}.json")
}

/// The same, relative to the project.
fn shown_path(slug: &str) -> String {
    format!(".compliance/{FOLDER}/{slug}.json")
}

/// Reads the passports of a project, in the order of their files.
pub(crate) fn stored(state: &ProjectState) -> Result<Vec<Stored>, Failure> {
    let mut all = Vec::new();
    let mut read = 0;
    for name in state.state_files(FOLDER)?.into_iter().take(PASSPORTS_MAX) {
        let Some(slug) = name.strip_suffix(".json") else {
            continue;
        };
        let unread = |why: String| Stored {
            slug: slug.to_owned(),
            bytes: Vec::new(),
            document: Err(why),
        };
        if read > PASSPORTS_BYTES_MAX {
            all.push(unread(format!(
                "not read: the passports of this project have more than {PASSPORTS_BYTES_MAX} bytes together"
            )));
            continue;
        }
        let bytes = match state.state_file(&path_of(slug)) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            // One that cannot be read, or is too long, does not take the others with it.
            Err(failure) => {
                all.push(unread(failure.details));
                continue;
            }
        };
        read += bytes.len();
        all.push(Stored {
            slug: slug.to_owned(),
            document: Document::parse(&bytes).map_err(|error| error.to_string()),
            bytes,
        });
    }
    Ok(all)
}

/// The passport of a name or an id. The name of its file counts too, where no name and no id is the same.
fn find<'s>(all: &'s [Stored], name: &str) -> Result<&'s Stored, Failure> {
    let named: Vec<&Stored> = all
        .iter()
        .filter(|one| {
            let is = |document: &Document| document.name() == name || document.agent_id() == name;
            one.document().is_some_and(is) && renamed_from(one, name).is_none()
        })
        .collect();
    match named.as_slice() {
        [one] => return Ok(one),
        [] => {}
        several => {
            let files: Vec<String> = several.iter().map(|one| shown_path(&one.slug)).collect();
            let details = format!(
                "several passports have this name or `agent_id`: {}; rename or remove one of them",
                files.join(", ")
            );
            return Err(Failure::new(ErrorCode::StateConflict, details).field("name"));
        }
    }
    // A name from before a rename finds nothing, also where it is the id of the agent or the name of the file.
    let current = || all.iter().filter(|one| renamed_from(one, name).is_none());
    let by_file = |one: &&Stored| one.slug == name;
    current().find(by_file).ok_or_else(|| unknown(all, name))
}

/// The present name of a passport that once had this name.
fn renamed_from<'s>(one: &'s Stored, name: &str) -> Option<&'s str> {
    let document = one.document().filter(|document| document.name() != name)?;
    let had = document.provenance().renames.iter().any(|rename| rename.from == name);
    had.then(|| document.name())
}

/// The passport of a request: the one it names, else the only one.
fn choose<'s>(all: &'s [Stored], name: Option<&str>) -> Result<&'s Stored, Failure> {
    match (name, all) {
        (Some(name), all) => find(all, name),
        (None, [one]) => Ok(one),
        (None, []) => Err(unknown(all, "")),
        (None, several) => {
            let details = format!(
                "`name` is missing; this project has {} passports, so choose one: {}",
                several.len(),
                names(several)
            );
            Err(Failure::new(ErrorCode::InvalidRequest, details).field("name"))
        }
    }
}

fn unknown(all: &[Stored], name: &str) -> Failure {
    let details = if all.is_empty() {
        "this project has no passport yet; create one with POST /agent/init".to_owned()
    } else {
        let shown: String = name.chars().take(80).collect();
        match all.iter().find_map(|one| renamed_from(one, name)) {
            Some(to) => {
                let to: String = to.chars().take(80).collect();
                format!("the passport `{shown}` was renamed; use its new name `{to}`")
            }
            None => format!("no passport is named `{shown}`; choose one of {}", names(all)),
        }
    };
    Failure::new(ErrorCode::UnknownPassport, details).field("name")
}

/// The names of passports for a sentence.
fn names(all: &[Stored]) -> String {
    let names: Vec<String> = all
        .iter()
        .take(10)
        .map(|one| {
            let name = one.document().map_or(one.slug.as_str(), Document::name);
            format!("`{}`", name.chars().take(80).collect::<String>())
        })
        .collect();
    let more = if all.len() > 10 { " and more" } else { "" };
    format!("{}{more}", names.join(", "))
}

impl Engine {
    /// The agents of the code as it is now. Nothing is kept.
    fn seen(&self, state: &ProjectState, all: &[Stored]) -> Result<(ScanResult, Vec<Seen>), Failure> {
        let _running = Running::begin(&self.scans)?;
        let settings = self.settings(state, None, None, None)?;
        let scan = self.run(state, &settings, &ScanHooks::default())?;
        let now = self.timestamp();
        let mut taken: std::collections::BTreeSet<String> = all
            .iter()
            .filter_map(Stored::document)
            .map(|document| document.name().to_owned())
            .collect();
        let mut seen = Vec::new();
        for agent in &scan.agents {
            let Some(system) = scan.systems.iter().find(|system| system.id == agent.system) else {
                continue;
            };
            let has_one = passport_of(all, &agent.agent_id).is_some();
            let name = if has_one || !taken.contains(&agent.name) {
                agent.name.clone()
            } else {
                let numbered = (2_u32..).map(|number| format!("{} {number}", agent.agent_id));
                std::iter::once(agent.agent_id.clone())
                    .chain(numbered)
                    .find(|name| !taken.contains(name))
                    .unwrap_or_default()
            };
            if !has_one {
                taken.insert(name.clone());
            }
            let fresh = generate(&Facts {
                agent,
                system,
                agents: &scan.agents,
                inventory: &scan.inventory,
                name: &name,
                now: &now,
                scanned_at: &scan.scanned_at,
                engine_version: VERSION,
                regulation_version: &regulation().version().id,
            });
            seen.push(Seen {
                agent: agent.clone(),
                system: system.clone(),
                fresh,
            });
        }
        Ok((scan, seen))
    }

    /// The obligations that apply or will apply to each system of the code if it is of a class. Nothing is kept.
    fn obligations_under(
        &self,
        state: &ProjectState,
        class: StatedClass,
    ) -> Result<BTreeMap<String, Vec<String>>, Failure> {
        let _running = Running::begin(&self.scans)?;
        let mut settings = self.settings(state, None, None, None)?;
        settings.risk_class = Some(class);
        let scan = self.run(state, &settings, &ScanHooks::default())?;
        let applying = |system: &System| {
            let records = system.obligations.iter();
            let applying = records.filter(|record| record.is_expected());
            applying.map(|record| record.obligation_id.clone()).collect()
        };
        Ok(scan
            .systems
            .iter()
            .map(|system| (system.id.clone(), applying(system)))
            .collect())
    }

    /// Every agent: those that the code shows, with what people wrote of them, and those of which only a passport tells.
    fn agents_now(&self, state: &ProjectState) -> Result<(Vec<Document>, Vec<Seen>, ScanResult), Failure> {
        let all = stored(state)?;
        let (scan, seen) = self.seen(state, &all)?;
        let mut documents: Vec<Document> = seen
            .iter()
            .map(|seen| match passport_of(&all, &seen.agent.agent_id) {
                Some(document) => regenerate(document, &seen.fresh),
                None => seen.fresh.clone(),
            })
            .collect();
        let gone = all
            .iter()
            .filter_map(Stored::document)
            .filter(|document| !seen.iter().any(|seen| seen.agent.agent_id == document.agent_id()));
        documents.extend(gone.cloned());
        documents.sort_by(|one, other| (one.name(), one.agent_id()).cmp(&(other.name(), other.agent_id())));
        Ok((documents, seen, scan))
    }
}

/// The id of the agent that a client means: the id itself, or a name that its passport has or had.
pub(crate) fn agent_id(state: &ProjectState, wanted: &str) -> String {
    // A folder that cannot be read has no names; the id still counts.
    let all = stored(state).unwrap_or_default();
    let had = |document: &&Document| document.provenance().renames.iter().any(|rename| rename.from == wanted);
    find(&all, wanted)
        .ok()
        .and_then(Stored::document)
        .or_else(|| all.iter().filter_map(Stored::document).find(had))
        .map_or_else(|| wanted.to_owned(), |document| document.agent_id().to_owned())
}

/// The names of agents with a passport, by their ids.
pub(crate) fn agent_names(state: &ProjectState) -> BTreeMap<String, String> {
    // A folder that cannot be read has no names; the ids still count.
    let all = stored(state).unwrap_or_default();
    all.iter()
        .filter_map(Stored::document)
        .map(|document| (document.agent_id().to_owned(), document.name().to_owned()))
        .collect()
}

/// What a passport says of where its agent can be reached.
pub(crate) struct AgentTarget {
    pub(crate) agent_id: String,
    pub(crate) name: String,
    pub(crate) address: Option<String>,
}

/// The address of an agent: the `target` that a person wrote into its passport, else its first endpoint on a network.
pub(crate) fn agent_target(state: &ProjectState, name: Option<&str>) -> Result<AgentTarget, Failure> {
    let all = stored(state)?;
    let one = choose(&all, name).map_err(|failure| failure.field("agentName"))?;
    let document = one.document().ok_or_else(|| unknown(&all, name.unwrap_or_default()))?;
    let on_network = |text: &&str| text.starts_with("http://") || text.starts_with("https://");
    let endpoints = document.get("endpoints").and_then(serde_json::Value::as_array);
    let listed = endpoints.into_iter().flatten().find_map(|endpoint| {
        let url = endpoint.get("url").or_else(|| endpoint.get("name"));
        url.and_then(serde_json::Value::as_str).filter(on_network)
    });
    Ok(AgentTarget {
        agent_id: document.agent_id().to_owned(),
        name: document.name().to_owned(),
        address: document
            .text_at("target")
            .filter(on_network)
            .or(listed)
            .map(str::to_owned),
    })
}

/// The passport of an agent.
fn passport_of<'s>(all: &'s [Stored], agent_id: &str) -> Option<&'s Document> {
    all.iter()
        .filter_map(Stored::document)
        .find(|document| document.agent_id() == agent_id)
}

/// A free name for a file.
fn free_slug(all: &[Stored], own: Option<&str>, name: &str) -> String {
    let taken = all
        .iter()
        .map(|one| one.slug.clone())
        .filter(|slug| Some(slug.as_str()) != own)
        .collect();
    slug(name, &taken)
}
