//! What documents are filled from: the scan, the passport of the system, the last evaluation and the authority.

use engine_documents::{EvaluationCategory, EvaluationFacts, Facts};
use engine_eval::EvalResult;
use engine_model::{Agent, Date, Document, ErrorCode, Failure, Finding, Inventory, ScanResult, System};
use engine_passport::{Document as Passport, Facts as PassportFacts, generate, regenerate};
use engine_regulation::{JurisdictionRecord, regulation};
use engine_store::RunKind;

use crate::VERSION;
use crate::project::ProjectState;

/// The folder of passports in the state directory.
const PASSPORTS: &str = "passports";

/// Most passports that are read.
const PASSPORTS_MAX: usize = 2_000;

/// What is known beside the scan.
pub(crate) struct Gathered {
    passports: Vec<Stored>,
    evaluation: Option<EvaluationFacts>,
}

struct Stored {
    slug: String,
    document: Passport,
}

/// What documents use of a scan.
#[derive(Clone, Copy)]
pub(super) struct Seen<'s> {
    pub(super) as_of: Date,
    pub(super) scanned_at: &'s str,
    pub(super) law_version: &'s str,
    pub(super) systems: &'s [System],
    pub(super) agents: &'s [Agent],
    pub(super) inventory: &'s Inventory,
    pub(super) findings: &'s [Finding],
    pub(super) documents: &'s [Document],
    pub(super) files_read: u64,
}

impl<'s> From<&'s ScanResult> for Seen<'s> {
    fn from(scan: &'s ScanResult) -> Self {
        Self {
            as_of: scan.as_of,
            scanned_at: &scan.scanned_at,
            law_version: &scan.regulation_version,
            systems: &scan.systems,
            agents: &scan.agents,
            inventory: &scan.inventory,
            findings: &scan.findings,
            documents: &scan.documents,
            files_read: scan.files_scanned,
        }
    }
}

/// The system that a request means, with its passport and authority.
pub(super) struct Subject<'s> {
    scan: Seen<'s>,
    pub(super) system: &'s System,
    passport: Option<(Passport, String)>,
    evaluation: Option<&'s EvaluationFacts>,
    jurisdiction: Option<JurisdictionRecord>,
}

impl Gathered {
    /// Reads what is kept in the project.
    pub(crate) fn of(state: &ProjectState) -> Result<Self, Failure> {
        let mut passports = Vec::new();
        for name in state.state_files(PASSPORTS)?.into_iter().take(PASSPORTS_MAX) {
            let Some(slug) = name.strip_suffix(".json") else {
                continue;
            };
            let Some(bytes) = state.state_file(&format!("{PASSPORTS}/{name}"))? else {
                continue;
            };
            // A file that is no passport is reported where passports are read.
            if let Ok(document) = Passport::parse(&bytes) {
                passports.push(Stored {
                    slug: slug.to_owned(),
                    document,
                });
            }
        }
        // A project without a run has no evaluation; a run that cannot be read is reported where runs are read.
        let evaluation = crate::evals::last::<EvalResult>(state, RunKind::Eval, None, None).ok();
        Ok(Self {
            passports,
            evaluation: evaluation.as_ref().map(evaluation_facts),
        })
    }

    /// The systems of a request: the one that it names, by name or id of the system, an agent or a passport, else every one.
    pub(super) fn subjects<'s>(
        &'s self,
        scan: &'s ScanResult,
        name: Option<&str>,
    ) -> Result<Vec<Subject<'s>>, Failure> {
        if scan.systems.is_empty() {
            let details = format!(
                "no AI system was found, so no document applies: {}",
                scan.applicability_reason
            );
            return Err(Failure::new(ErrorCode::Impossible, details));
        }
        let Some(name) = name.map(str::trim).filter(|name| !name.is_empty()) else {
            return Ok(scan
                .systems
                .iter()
                .map(|system| self.subject(scan.into(), system, None))
                .collect());
        };
        let agent = self.agent(scan, name);
        let system = scan
            .systems
            .iter()
            .find(|system| agent.is_some_and(|agent| agent.system == system.id))
            .or_else(|| {
                scan.systems
                    .iter()
                    .find(|system| system.id == name || system.name == name)
            });
        let Some(system) = system else {
            let shown: String = name.chars().take(80).collect();
            let known: Vec<String> = scan
                .systems
                .iter()
                .map(|system| format!("`{}`", system.id))
                .chain(scan.agents.iter().map(|agent| format!("`{}`", agent.name)))
                .take(20)
                .collect();
            let details = format!(
                "no agent or system is named `{shown}`; choose one of {}",
                known.join(", ")
            );
            return Err(Failure::new(ErrorCode::UnknownPassport, details).field("name"));
        };
        Ok(vec![self.subject(scan.into(), system, agent)])
    }

    /// The agent of a name: by its passport, else by the code.
    fn agent<'s>(&self, scan: &'s ScanResult, name: &str) -> Option<&'s Agent> {
        let by_passport = self
            .passports
            .iter()
            .find(|one| one.document.name() == name || one.document.agent_id() == name || one.slug == name)
            .map(|one| one.document.agent_id());
        let id = by_passport.unwrap_or(name);
        scan.agents
            .iter()
            .find(|agent| agent.agent_id == id || agent.name == name)
    }

    /// A system with the passport of an agent; without one, of its first agent with a passport, else of its first agent.
    pub(super) fn subject<'s>(&'s self, scan: Seen<'s>, system: &'s System, agent: Option<&'s Agent>) -> Subject<'s> {
        let mut own = scan.agents.iter().filter(|agent| agent.system == system.id);
        let agent = agent
            .or_else(|| own.clone().find(|agent| self.kept(&agent.agent_id).is_some()))
            .or_else(|| own.next());
        let countries = system
            .answers
            .iter()
            .find(|stated| stated.question == "countries" && stated.status == "answered");
        Subject {
            scan,
            system,
            passport: agent.map(|agent| self.passport(scan, system, agent)),
            evaluation: self.evaluation.as_ref(),
            jurisdiction: countries
                .and_then(|stated| stated.value.first())
                .and_then(|code| regulation().jurisdiction(code))
                .map(engine_regulation::Jurisdiction::record),
        }
    }

    fn kept(&self, agent_id: &str) -> Option<&Stored> {
        self.passports.iter().find(|one| one.document.agent_id() == agent_id)
    }

    /// The passport of an agent as it would be now, with what people wrote into it, and its file.
    fn passport(&self, scan: Seen<'_>, system: &System, agent: &Agent) -> (Passport, String) {
        let fresh = generate(&PassportFacts {
            agent,
            system,
            agents: scan.agents,
            inventory: scan.inventory,
            name: &agent.name,
            now: scan.scanned_at,
            scanned_at: scan.scanned_at,
            engine_version: VERSION,
            regulation_version: scan.law_version,
        });
        match self.kept(&agent.agent_id) {
            Some(kept) => (
                regenerate(&kept.document, &fresh),
                format!(".compliance/{PASSPORTS}/{}.json", kept.slug),
            ),
            None => (fresh, String::new()),
        }
    }
}

impl Subject<'_> {
    /// What documents of the system are filled from.
    pub(super) fn facts(&self) -> Facts<'_> {
        Facts {
            as_of: self.scan.as_of,
            law_version: self.scan.law_version,
            system: self.system,
            systems: self.scan.systems.len(),
            inventory: self.scan.inventory,
            findings: self.scan.findings,
            documents: self.scan.documents,
            files_read: self.scan.files_read,
            passport: self.passport.as_ref().map(|(document, file)| (document, file.as_str())),
            evaluation: self.evaluation,
            jurisdiction: self.jurisdiction.as_ref(),
        }
    }

    /// Whether the project has several systems, so that files name theirs.
    pub(super) fn is_one_of_several(&self) -> bool {
        self.scan.systems.len() > 1
    }
}

fn evaluation_facts(run: &EvalResult) -> EvaluationFacts {
    EvaluationFacts {
        on: run.timestamp.chars().take(10).collect(),
        target: run.target.clone(),
        score: run.score,
        categories: run
            .categories
            .values()
            .map(|category| EvaluationCategory {
                name: category.title.clone(),
                score: category.score,
                interval: category.interval.map(|one| (one.low * 100.0, one.high * 100.0)),
            })
            .collect(),
    }
}
