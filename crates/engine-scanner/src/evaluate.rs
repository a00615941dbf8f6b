//! The join: facts of all files in, applicability, systems, obligations and findings out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine_model::{
    Agent, Applicability, Artefact, Call, CallKind, Check, CheckContext, DependencyRelation, DependencyScope, Document,
    Evidence, EvidenceKind, FileInfo, Finding, FindingType, Inventory, Language, Layer, LayerDetail, LayerStatus,
    Location, MemoryTree, Outcome, Package, ProjectObligation, Report, SecretPlace, SourceText, Statement,
    StatementKind, Structure, Summary, SuppressionRecord, System, UpcomingObligation, Zone,
};
use engine_model::{Applies, Severity};
use engine_regulation::regulation;
use engine_scan_code::CodeFacts;
use engine_scan_cross::CrossFacts;
use engine_scan_dependencies::DependencyFacts;
use engine_scan_documents::DocumentFacts;
use engine_scan_models::ModelFacts;
use engine_scan_secrets::SecretFacts;
use rayon::prelude::*;

use crate::applicability::{ManifestInfo, Manifests};
use crate::ask::Assessed;
use crate::drawing::Drawn;
use crate::facts::{FileFacts, LargeFacts};
use crate::findings::Observed;
use crate::imported;
use crate::memory::{Dependencies, Memory};
use crate::obligations::Reported;
use crate::suppress::{InlineSuppression, SuppressionKind};
use crate::systems::{Grouping, SystemDraft};
use crate::told;
use crate::{
    Settings, agents, answers, applicability, ask, checks, context, drawing, findings, missing, obligations,
    package_questions, redact, risk, simulate, suppress, systems,
};

/// What is evaluated.
pub struct ScanInput<'a> {
    /// Every file that was read, in the order of the paths, with its facts.
    pub files: Vec<(FileInfo, FileFacts)>,
    /// Files that were read by ranges, in the order of the paths.
    pub large: Vec<(String, LargeFacts)>,
    /// Secrets files that are there but ignored, by path.
    pub ignored_secrets: &'a [String],
    /// Gives texts again where resolution or a finding needs them.
    pub source: &'a dyn SourceText,
    /// What earlier evaluations of the same project remember.
    pub memory: &'a Memory,
}

/// What a scan found; scores are computed from it by the formula of the scoring crate.
#[derive(Debug, PartialEq)]
pub struct Evaluation {
    /// Whether the Act touches the project.
    pub applicability: Applicability,
    /// Why, in a sentence.
    pub reason: String,
    /// The systems with their obligations.
    pub systems: Vec<System>,
    /// The obligations of all systems that apply, will apply, or hang on an answer.
    pub obligations: Vec<ProjectObligation>,
    /// The findings, in a stable order.
    pub findings: Vec<Finding>,
    /// The agents, without scores.
    pub agents: Vec<Agent>,
    /// What was observed.
    pub inventory: Inventory,
    /// Documents of the kinds that the law knows.
    pub documents: Vec<Document>,
    /// Other things that matter.
    pub artefacts: Vec<Artefact>,
    /// Status per layer.
    pub layers: BTreeMap<String, LayerStatus>,
    /// What each layer did.
    pub layer_details: BTreeMap<String, LayerDetail>,
    /// Counts.
    pub summary: Summary,
    /// What comes next.
    pub upcoming: Vec<UpcomingObligation>,
    /// Files per language.
    pub languages: BTreeMap<String, u64>,
    /// Files that were read and not evaluated to their end, with their lengths, in the order of their paths.
    pub not_evaluated: Vec<(String, u64)>,
    /// Files with lines that the grammar could not read, in the order of their paths.
    pub not_parsed: Vec<crate::NotParsed>,
    /// Checks that exist, with evidence, with a gap.
    pub check_counts: (u64, u64, u64),
    /// Every suppression with what became of it.
    pub suppressions: Vec<SuppressionRecord>,
}

impl Clone for Evaluation {
    /// Copies the two parts that are nearly all of it side by side.
    fn clone(&self) -> Self {
        let (findings, inventory) = rayon::join(|| self.findings.clone(), || self.inventory.clone());
        Self {
            applicability: self.applicability,
            reason: self.reason.clone(),
            systems: self.systems.clone(),
            obligations: self.obligations.clone(),
            findings,
            agents: self.agents.clone(),
            inventory,
            documents: self.documents.clone(),
            artefacts: self.artefacts.clone(),
            layers: self.layers.clone(),
            layer_details: self.layer_details.clone(),
            summary: self.summary.clone(),
            upcoming: self.upcoming.clone(),
            languages: self.languages.clone(),
            not_evaluated: self.not_evaluated.clone(),
            not_parsed: self.not_parsed.clone(),
            check_counts: self.check_counts,
            suppressions: self.suppressions.clone(),
        }
    }
}

/// Facts of all files, one list for each layer.
#[derive(Default)]
struct PerLayer {
    infos: Vec<FileInfo>,
    files: Vec<(FileInfo, Arc<engine_scan_files::FileFacts>)>,
    documents: Vec<(FileInfo, Arc<DocumentFacts>)>,
    dependencies: Vec<(FileInfo, Arc<DependencyFacts>)>,
    code: Vec<(FileInfo, Arc<CodeFacts>)>,
    secrets: Vec<(FileInfo, Arc<SecretFacts>)>,
    cross: Vec<(FileInfo, Arc<CrossFacts>)>,
    models: Vec<(String, Zone, ModelFacts)>,
    suppressions: BTreeMap<String, Arc<[InlineSuppression]>>,
}

impl PerLayer {
    /// The files that name packages.
    fn manifests(&self) -> Vec<&str> {
        self.dependencies.iter().map(|(info, _)| info.path.as_str()).collect()
    }
}

/// The profile in a tree.
const PROFILE: &str = ".compliance/profile.toml";

/// Scans a tree in memory.
///
/// A profile in the tree is read where the settings hold none; one that cannot be read counts as absent.
pub fn scan_memory(tree: &MemoryTree, settings: &Settings) -> Evaluation {
    let stated = tree
        .files()
        .find(|file| file.path == PROFILE)
        .filter(|_| settings.profile.is_empty())
        .and_then(|file| engine_profile::parse(std::str::from_utf8(&file.bytes).ok()?).ok());
    let with_profile = stated.map(|profile| Settings {
        profile: Arc::new(profile),
        ..settings.clone()
    });
    let settings = with_profile.as_ref().unwrap_or(settings);
    let files = tree.files().map(|file| (file.info(), crate::read(&file))).collect();
    evaluate(
        ScanInput {
            files,
            large: Vec::new(),
            ignored_secrets: &[],
            source: tree,
            memory: &Memory::default(),
        },
        settings,
    )
}

/// Joins the facts of a project and asks the law.
pub fn evaluate(input: ScanInput<'_>, settings: &Settings) -> Evaluation {
    let mut per_layer = per_layer(input.files);
    per_layer.models.extend(
        input
            .large
            .into_iter()
            .map(|(path, facts)| (path.clone(), Zone::of_path(&path, ""), facts.model)),
    );
    let languages = languages(&per_layer.infos);
    let memory = input.memory;
    let depended = || {
        memory.dependencies(&per_layer.dependencies, || {
            let mut joined = engine_scan_dependencies::join(&per_layer.dependencies);
            redact::packages(&mut joined.packages);
            joined
        })
    };
    let said = || {
        let mut documents = memory.documents(&per_layer.documents, || {
            engine_scan_documents::join(&per_layer.documents)
        });
        let mut artefacts = engine_scan_files::join(&per_layer.files, input.ignored_secrets);
        redact::papers(&mut documents, &mut artefacts);
        let secrets = engine_scan_secrets::join(&per_layer.secrets);
        let statements = engine_scan_cross::join(&per_layer.cross);
        (documents, artefacts, secrets, statements)
    };
    let (dependencies, (documents, artefacts, secrets, mut statements)) = rayon::join(depended, said);
    // Taken out while it is looked at: another evaluation of the project at the same time does its own work.
    let before = memory.take_code();
    let (mut remembered, changes) = engine_scan_code::join_again(
        &mut per_layer.code,
        &dependencies.names,
        input.source,
        before,
        memory.modules(),
    );
    // Masked before it is remembered: what is remembered is written down.
    remembered.joins_mut().for_each(redact::code);
    let mut code = remembered.join();
    memory.keep_code(remembered, changes);
    // What nothing brings in shows nobody anything.
    statements.retain(|said| !is_shown(said.kind) || code.unused.binary_search(&said.file).is_err());
    crate::resources::drop_unasked(&mut statements, &per_layer.infos, input.source);
    let cut: BTreeSet<&str> = code.cut.iter().map(String::as_str).collect();
    let cut_code = per_layer
        .code
        .iter()
        .filter(|(info, facts)| facts.cut || cut.contains(info.path.as_str()))
        .map(|(info, _)| (info.path.clone(), info.size));
    let cut_documents = per_layer
        .documents
        .iter()
        .filter(|(_, facts)| facts.unread.is_some())
        .map(|(info, _)| (info.path.clone(), info.size));
    let mut not_evaluated: Vec<(String, u64)> = cut_code.chain(cut_documents).collect();
    not_evaluated.sort();
    not_evaluated.dedup();
    let not_parsed = crate::unread::not_parsed(&per_layer.code, &code.unparsed);
    let mut manifests = manifests(&dependencies, &per_layer.dependencies);
    extensions(&mut manifests, &artefacts);
    windows(&mut manifests, per_layer.infos.iter().map(|info| info.path.as_str()));
    deployed(&mut manifests, per_layer.infos.iter().map(|info| info.path.as_str()));
    started_beside(&mut manifests, &per_layer.code);
    let proposed = systems::group(&per_layer.infos.iter().collect::<Vec<_>>(), &manifests, &code);
    let Drawn { grouping, undeclared } = drawing::draw(proposed, &code, &settings.profile);
    for draft in &grouping.drafts {
        for index in &draft.calls {
            code.calls[*index].system = Some(draft.id.clone());
        }
    }
    assign_the_rest(&mut code.calls, &grouping);
    let mut inventory = inventory(&mut code, &dependencies, &per_layer.models);
    // Without a call, such a file can be a prompt of anything.
    if !inventory.calls.is_empty() {
        inventory.prompts.extend(crate::prompt_files::named(&per_layer.infos));
        inventory
            .prompts
            .sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    }
    redact::inventory(&mut inventory);
    let decided = applicability::decide(&inventory, &grouping, &manifests);
    let decided = crate::absent::weigh(decided, &per_layer.infos, input.source);
    let decided = crate::elsewhere::weigh(decided, &statements);
    let (applicability, reason) = crate::unread::weigh(decided, &per_layer.code, &not_parsed, input.source);
    code.calls.clone_from(&inventory.calls);
    let made: Vec<(System, Assessed)> = grouping
        .drafts
        .par_iter()
        .map(|draft| {
            let is_served = manifests.serves(&draft.scope);
            system(draft, &code, &statements, settings, is_served, &inventory)
        })
        .collect();
    let (mut systems, mut assessed): (Vec<System>, Vec<Assessed>) = made.into_iter().unzip();
    let undeclared: Vec<&Call> = undeclared.iter().map(|index| &inventory.calls[*index]).collect();
    let unimported = imported::lacking(&per_layer.code, &inventory);
    let named_in = per_layer.manifests();
    let look = |documents: &[Document]| {
        let mut observed = observe(
            settings,
            &per_layer.infos,
            &named_in,
            &inventory,
            &systems,
            documents,
            &artefacts,
            &secrets,
            &statements,
            &unimported,
        );
        answers::mind_the_disclosed(&mut observed, &systems, &assessed);
        let stated = answers::observe(&systems, &assessed, &settings.profile, &observed, &undeclared);
        observed.extend(stated.into_iter().map(|mut item| {
            redact::observation(&mut item.observation);
            item
        }));
        observed.extend(settings.external.observe(&systems));
        observed
    };
    let (documents, observed) =
        simulate::resolved(documents, settings, &systems, &grouping.drafts, &inventory.calls, look);
    let observed = settle(observed, &mut systems, &documents, &grouping.drafts, &inventory.calls);
    for (system, assessed) in systems.iter_mut().zip(&mut assessed) {
        told::ask(system, assessed, &observed);
    }
    systems.par_iter_mut().zip(&assessed).for_each(|(system, assessed)| {
        system.questions = assessed.questions(system, settings.every_question);
    });
    let mut findings = findings::findings(&observed, &systems, settings.risk_class, settings.as_of);
    settings.external.second(&mut findings);
    let suppressions = suppress::apply(
        &mut findings,
        &settings.suppressions,
        settings.as_of,
        &per_layer.suppressions,
    );
    set_aside(
        &mut systems,
        &findings,
        &observed,
        &documents,
        &grouping.drafts,
        &inventory.calls,
    );
    if !settings.systems.is_empty() {
        systems.retain(|system| settings.systems.contains(&system.id));
        findings.retain(|finding| finding.system.as_ref().is_none_or(|id| settings.systems.contains(id)));
    }
    if settings.quotes_code {
        context::add_context(&mut findings, &per_layer.infos, input.source, memory.quotes());
    }
    let drafts: Vec<SystemDraft> = grouping
        .drafts
        .into_iter()
        .filter(|draft| systems.iter().any(|system| system.id == draft.id))
        .collect();
    let agents = agents::agents(&drafts, &systems, &code, &findings);
    let (layers, layer_details) = layers(&findings, &systems);
    Evaluation {
        applicability,
        reason,
        obligations: project_obligations(&systems),
        agents,
        layers,
        layer_details,
        summary: summary(&findings, &systems),
        upcoming: obligations::upcoming(&systems),
        languages,
        not_evaluated,
        not_parsed,
        check_counts: check_counts(&findings),
        systems,
        findings,
        inventory,
        documents,
        artefacts,
        suppressions,
    }
}

/// Whether a statement is about what people see in an interface.
const fn is_shown(kind: StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Page
            | StatementKind::ChatInterface
            | StatementKind::AiNamed
            | StatementKind::AiNamedByDefault
            | StatementKind::ServiceNamesAi
            | StatementKind::OwnPaper
            | StatementKind::ChoosesPeople
            | StatementKind::LiveRegion
            | StatementKind::UnlabelledField
            | StatementKind::PageWithoutLanguage
            | StatementKind::CeMarking
    )
}

fn per_layer(mut files: Vec<(FileInfo, FileFacts)>) -> PerLayer {
    // The order in which files were read tells nothing, so it decides nothing.
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let mut out = PerLayer::default();
    let no_code = Arc::new(CodeFacts::default());
    for (info, facts) in files {
        if let Some(facts) = facts.files {
            out.files.push((info.clone(), facts));
        }
        if let Some(facts) = facts.documents {
            out.documents.push((info.clone(), facts));
        }
        if let Some(facts) = facts.dependencies {
            out.dependencies.push((info.clone(), facts));
        }
        // The layer sees every file by name: configuration beside the code tells which provider a framework uses.
        out.code
            .push((info.clone(), facts.code.unwrap_or_else(|| Arc::clone(&no_code))));
        if let Some(facts) = facts.secrets.filter(|facts| !facts.found.is_empty()) {
            out.secrets.push((info.clone(), facts));
        }
        if let Some(facts) = facts.cross {
            out.cross.push((info.clone(), facts));
        }
        if let Some(facts) = facts.models {
            out.models.push((info.path.clone(), info.zone, facts));
        }
        if !facts.suppressions.is_empty() {
            out.suppressions.insert(info.path.clone(), facts.suppressions);
        }
        out.infos.push(info);
    }
    out
}

fn languages(infos: &[FileInfo]) -> BTreeMap<String, u64> {
    let mut languages = BTreeMap::new();
    for info in infos.iter().filter(|info| info.language != Language::Other) {
        *languages.entry(info.language.name().to_owned()).or_default() += 1;
    }
    languages
}

fn manifests(dependencies: &Dependencies, files: &[(FileInfo, Arc<DependencyFacts>)]) -> Manifests {
    let own: BTreeSet<&str> = dependencies
        .manifests
        .iter()
        .filter_map(|found| found.manifest.name.as_deref())
        .collect();
    // What a file asks for itself: once a lockfile answers, the packages of the inventory lie in that.
    let asked: BTreeMap<&str, Vec<&Package>> = files
        .iter()
        .filter(|(info, _)| info.zone == Zone::Product)
        .map(|(info, facts)| {
            let needed = |package: &&Package| {
                package.scope != DependencyScope::Development && package.relation != DependencyRelation::Transitive
            };
            (info.path.as_str(), facts.packages.iter().filter(needed).collect())
        })
        .collect();
    let runs = |packages: &[&Package]| packages.iter().any(|package| applicability::is_runner(package));
    Manifests {
        all: dependencies
            .manifests
            .iter()
            .map(|found| {
                let needed = asked.get(found.file.as_str()).map_or(&[][..], Vec::as_slice);
                ManifestInfo {
                    file: found.file.clone(),
                    zone: found.zone,
                    name: found.manifest.name.clone(),
                    library_signals: found.manifest.library.len(),
                    application_signals: found.manifest.application.len() + found.manifest.entry_points.len(),
                    needs_a_runner: runs(needed),
                    is_started: found
                        .manifest
                        .entry_points
                        .iter()
                        .any(|entry| entry.name != "npm run dev"),
                    needs: needed
                        .iter()
                        .filter(|package| own.contains(package.name.as_str()))
                        .map(|package| package.name.clone())
                        .collect(),
                }
            })
            .collect(),
        served: asked
            .iter()
            .filter(|(_, packages)| runs(packages))
            .map(|(file, _)| file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned())
            .collect(),
    }
}

/// A crate with the configuration of a window around a page is run as one, though its code stands in a library that a main program and phones
/// start.
fn windows<'a>(manifests: &mut Manifests, paths: impl Iterator<Item = &'a str>) {
    let mut crates: Vec<&mut ManifestInfo> = manifests.all.iter_mut().collect();
    crates.retain(|manifest| manifest.file.ends_with("Cargo.toml"));
    if crates.is_empty() {
        return;
    }
    let is_frame = |path: &&str| {
        ["tauri.conf.json", "tauri.conf.json5", "Tauri.toml"]
            .iter()
            .any(|name| {
                let folder = path.strip_suffix(name);
                folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
            })
    };
    let framed: BTreeSet<&str> = paths.filter(is_frame).map(systems::folder).collect();
    for manifest in crates {
        if framed.contains(systems::folder(&manifest.file)) {
            manifest.application_signals += 1;
        }
    }
}

/// A package beside which stands how its functions are put onto a platform is run there, whatever its manifest calls its main file.
fn deployed<'a>(manifests: &mut Manifests, paths: impl Iterator<Item = &'a str>) {
    const DEPLOYS: [&str; 14] = [
        "serverless.yml",
        "serverless.yaml",
        "serverless.ts",
        "serverless.js",
        "serverless.json",
        "samconfig.toml",
        "wrangler.toml",
        "wrangler.json",
        "wrangler.jsonc",
        "firebase.json",
        "fly.toml",
        "render.yaml",
        "railway.json",
        "Procfile",
    ];
    let is_deployment = |path: &&str| DEPLOYS.contains(&path.rsplit('/').next().unwrap_or(path));
    let folders: BTreeSet<&str> = paths.filter(is_deployment).map(systems::folder).collect();
    for manifest in &mut manifests.all {
        if folders.contains(systems::folder(&manifest.file)) {
            manifest.application_signals += 1;
        }
    }
}

/// A package of Python beside which a script starts what it holds is run by that script, whatever its manifest offers to others.
fn started_beside(manifests: &mut Manifests, code: &[(FileInfo, Arc<CodeFacts>)]) {
    const SCRIPTS: [&str; 7] = [
        "main.py",
        "app.py",
        "server.py",
        "run.py",
        "bot.py",
        "wsgi.py",
        "asgi.py",
    ];
    let scripts: Vec<(&str, &CodeFacts)> = code
        .iter()
        .filter(|(info, _)| info.zone == Zone::Product)
        .filter(|(info, _)| SCRIPTS.contains(&info.path.rsplit('/').next().unwrap_or(&info.path)))
        .map(|(info, facts)| (systems::folder(&info.path), facts.as_ref()))
        .collect();
    if scripts.is_empty() {
        return;
    }
    let packages: BTreeSet<&str> = code
        .iter()
        .filter_map(|(info, _)| info.path.strip_suffix("/__init__.py"))
        .collect();
    for manifest in &mut manifests.all {
        let (folder, file) = manifest.file.rsplit_once('/').unwrap_or(("", &manifest.file));
        let starts = |facts: &CodeFacts| {
            let mut modules = facts.imports.iter().filter_map(|module| module.split('.').next());
            modules.any(|module| {
                let own = [folder, module].join("/");
                !module.is_empty() && packages.contains(own.trim_start_matches('/'))
            })
        };
        let of_python = matches!(file, "setup.py" | "setup.cfg" | "pyproject.toml");
        if of_python && scripts.iter().any(|(home, facts)| *home == folder && starts(facts)) {
            manifest.application_signals += 1;
        }
    }
}

/// A package with the manifest of a browser's extension is run by the browser, whatever others could import from it.
fn extensions(manifests: &mut Manifests, artefacts: &[Artefact]) {
    let found = artefacts
        .iter()
        .filter(|artefact| artefact.because == engine_scan_files::BROWSER_EXTENSION);
    for extension in found {
        let own = manifests
            .all
            .iter_mut()
            .filter(|manifest| manifest.zone == Zone::Product && manifest.file.ends_with("package.json"))
            .filter(|manifest| {
                let folder = systems::folder(&manifest.file);
                folder.is_empty()
                    || extension
                        .file
                        .strip_prefix(folder)
                        .is_some_and(|rest| rest.starts_with('/'))
            })
            .max_by_key(|manifest| manifest.file.len());
        if let Some(own) = own {
            own.application_signals += 1;
        }
    }
}

/// Clients and servers belong to the system whose folder holds them.
fn assign_the_rest(calls: &mut [Call], grouping: &Grouping) {
    // The last of those with one scope counts.
    let scopes: BTreeMap<&str, &str> = grouping
        .drafts
        .iter()
        .map(|draft| (draft.scope.as_str(), draft.id.as_str()))
        .collect();
    for call in calls
        .iter_mut()
        .filter(|call| call.system.is_none() && call.zone == Zone::Product)
    {
        call.system = systems::folders_above(&call.file)
            .find_map(|folder| scopes.get(folder))
            .map(|id| (*id).to_owned());
    }
}

fn inventory(
    code: &mut engine_scan_code::CodeJoin,
    dependencies: &Dependencies,
    models: &[(String, Zone, ModelFacts)],
) -> Inventory {
    let mut mcp_servers = std::mem::take(&mut code.mcp_servers);
    mcp_servers.extend_from_slice(&dependencies.mcp_servers);
    mcp_servers.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    Inventory {
        calls: code.calls.clone(),
        packages: Arc::clone(&dependencies.packages),
        models: std::mem::take(&mut code.models),
        datasets: std::mem::take(&mut code.datasets),
        services: std::mem::take(&mut code.services),
        mcp_servers,
        prompts: std::mem::take(&mut code.prompts),
        model_files: engine_scan_models::join(models),
        structures: structures(code),
    }
}

/// The structures of product code, each with the system of its call, in the order of their places.
fn structures(code: &engine_scan_code::CodeJoin) -> Vec<Structure> {
    let mut out: Vec<Structure> = code
        .structures
        .iter()
        .filter(|found| code.calls[found.call].zone == Zone::Product)
        .map(|found| Structure {
            system: code.calls[found.call].system.clone(),
            ..found.structure.clone()
        })
        .collect();
    out.sort_by(|a, b| {
        (&a.file, a.line, a.column, a.kind, a.area, &a.steps)
            .cmp(&(&b.file, b.line, b.column, b.kind, b.area, &b.steps))
    });
    out.dedup();
    out
}

fn system(
    draft: &SystemDraft,
    code: &engine_scan_code::CodeJoin,
    statements: &[Statement],
    settings: &Settings,
    is_served: bool,
    inventory: &Inventory,
) -> (System, Assessed) {
    let mut assessment = risk::assess(draft, code, statements, settings, is_served, &inventory.packages);
    let of_packages = package_questions::raised(draft, &assessment.raised, &inventory.packages, &inventory.calls);
    assessment.raised.extend(of_packages);
    let assessed = ask::assess(assessment, &draft.id, settings);
    let calls: Vec<&Call> = draft.calls.iter().map(|index| &code.calls[*index]).collect();
    let set = |values: Vec<String>| {
        values
            .into_iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    let mut obligations: Vec<_> = obligations::dated(&assessed.plan.query)
        .iter()
        .map(obligations::record)
        .collect();
    assessed.name_questions(&mut obligations);
    let (role, role_basis) = assessed.role();
    let (risk_class, risk_basis) = assessed.class(settings);
    let (name, purpose) = ask::name_and_purpose(&settings.profile, &draft.id);
    let system = System {
        id: draft.id.clone(),
        name: name.unwrap_or_else(|| draft.name.clone()),
        scope: draft.scope.clone(),
        entry_points: draft.entry_points.clone(),
        providers: set(calls.iter().filter_map(|call| call.provider.clone()).collect()),
        models: set(calls.iter().filter_map(|call| call.model.clone()).collect()),
        role,
        role_basis,
        risk_class,
        risk_basis,
        observed_class: assessed.assessment.risk_class.clone(),
        // What code raises, whether or not it is answered; the open questions take its place once the statuses are known.
        questions: assessed.raised(),
        obligations,
        files: set(calls.iter().map(|call| call.file.clone()).collect()),
        purpose,
        answers: assessed.records(),
        seen: assessed.assessment.seen.iter().cloned().collect(),
    };
    (system, assessed)
}

/// Runs every check once over the joined facts.
#[expect(
    clippy::too_many_arguments,
    reason = "each is one part of what a check sees, and the context is built here"
)]
fn observe(
    settings: &Settings,
    files: &[FileInfo],
    manifests: &[&str],
    inventory: &Inventory,
    systems: &[System],
    documents: &[Document],
    artefacts: &[Artefact],
    secrets: &[SecretPlace],
    statements: &[Statement],
    unimported: &BTreeSet<String>,
) -> Vec<Observed> {
    let context = CheckContext {
        as_of: settings.as_of,
        files,
        manifests,
        inventory,
        systems,
        documents,
        artefacts,
        secrets,
        statements,
        unimported,
    };
    // Without a system no check has anything to say: that is promise one. A model file that runs code is worth knowing
    // wherever it lies; without a system it is a notice.
    let run: Vec<&'static Check> = checks()
        .filter(|check| !systems.is_empty() || findings::is_of_every_project(check))
        .collect();
    let observed: Vec<Vec<Observed>> = run
        .par_iter()
        // A few checks take nearly all of the time: they must not end up in one piece of work.
        .with_max_len(1)
        .map(|check| {
            let mut report = Report::default();
            (check.run)(&context, &mut report);
            let told = report.into_observations().into_iter().map(|mut observation| {
                redact::observation(&mut observation);
                Observed::new(check, observation)
            });
            told.collect()
        })
        .collect();
    observed.into_iter().flatten().collect()
}

/// The documents that concern a system. A document that this engine generated for one of several systems has the id of the system in its
/// name, and says nothing about another one.
fn about(system: &str, documents: &[Document]) -> Vec<Document> {
    const OWN: &str = ".compliance/documents/";
    let concerns = |document: &&Document| {
        let Some(name) = document
            .file
            .strip_prefix(OWN)
            .and_then(|name| name.strip_suffix(".md"))
        else {
            return true;
        };
        let of = name
            .strip_prefix(document.kind.as_str())
            .and_then(|rest| rest.strip_prefix('-'));
        of.is_none_or(|of| of == system)
    };
    documents.iter().filter(concerns).cloned().collect()
}

/// Sets the status of every obligation, and adds what is missing.
pub(crate) fn settle(
    mut observed: Vec<Observed>,
    systems: &mut [System],
    documents: &[Document],
    drafts: &[SystemDraft],
    calls: &[Call],
) -> Vec<Observed> {
    let mut added = Vec::new();
    for (system, draft) in systems.iter_mut().zip(drafts) {
        let anchor = anchor(draft, calls);
        let reported = reported(&observed, system, &|_| true);
        let documents = about(&system.id, documents);
        let lacking = missing::observe(system, &reported, &documents, anchor.as_ref());
        set_statuses(system, &reported, &documents, anchor.as_ref(), &BTreeSet::new());
        let check = &missing::CHECKS[0];
        added.extend(lacking.into_iter().map(|observation| Observed::new(check, observation)));
    }
    observed.extend(added);
    findings::identify(&mut observed);
    observed
}

/// Sets the statuses again without the findings that people have called wrong, and names who set aside what.
fn set_aside(
    systems: &mut [System],
    findings: &[Finding],
    observed: &[Observed],
    documents: &[Document],
    drafts: &[SystemDraft],
    calls: &[Call],
) {
    let by_id: BTreeMap<&str, &Finding> = findings
        .iter()
        .filter(|finding| finding.suppressed.is_some())
        .map(|finding| (finding.id.as_str(), finding))
        .collect();
    if by_id.is_empty() {
        return;
    }
    // What stands with its obligation only is set aside with the finding that says the same.
    let twin = |item: &Observed| {
        let own = &item.observation;
        let says_the_same = |other: &&Observed| {
            other.check.id == item.check.id
                && !other.observation.aside
                && other.observation.system == own.system
                && other.observation.location == own.location
                && other.observation.message == own.message
        };
        let same = observed.iter().filter(|_| own.aside).find(says_the_same);
        by_id.get(same?.id.as_str()).copied()
    };
    let wrong = |item: &Observed| {
        by_id
            .get(item.id.as_str())
            .copied()
            .or_else(|| twin(item))
            .and_then(|finding| finding.suppressed.as_ref())
            .is_some_and(|s| s.kind == SuppressionKind::FalsePositive.name())
    };
    for (system, draft) in systems.iter_mut().zip(drafts) {
        let own = || {
            observed
                .iter()
                .filter(|item| item.observation.system.as_ref().is_none_or(|id| *id == system.id))
        };
        let excused = own()
            .filter(|item| item.check.id == missing::MISSING_DOCUMENT.id && wrong(item))
            .filter_map(|item| missing::document_of(&item.observation).map(str::to_owned))
            .collect();
        let said: Vec<(String, Evidence)> = own()
            .filter_map(|item| {
                let finding = by_id.get(item.id.as_str()).copied().or_else(|| twin(item))?;
                Some((item.obligation().to_owned(), by_person(finding)?))
            })
            .collect();
        let reported = reported(observed, system, &|item| !wrong(item));
        let documents = about(&system.id, documents);
        set_statuses(system, &reported, &documents, anchor(draft, calls).as_ref(), &excused);
        for record in system
            .obligations
            .iter_mut()
            .filter(|r| r.applies != Applies::DoesNotApply)
        {
            let own = said.iter().filter(|(id, _)| *id == record.obligation_id);
            record.evidence.extend(own.map(|(_, evidence)| evidence.clone()));
        }
    }
}

/// Who set a finding aside, as evidence.
fn by_person(finding: &Finding) -> Option<Evidence> {
    let suppression = finding.suppressed.as_ref()?;
    let owner = suppression.owner.as_deref().unwrap_or("a comment in the code");
    Some(Evidence {
        kind: EvidenceKind::Person,
        reference: format!("{} by {owner}: {}", suppression.kind, suppression.reason),
        file: finding.file.clone(),
        line: finding.line,
        hash: None,
    })
}

fn set_statuses(
    system: &mut System,
    reported: &BTreeMap<String, Reported<'_>>,
    documents: &[Document],
    anchor: Option<&Location>,
    excused: &BTreeSet<String>,
) {
    let nothing = Reported::default();
    let mut asks: BTreeMap<&str, Evidence> = regulation()
        .obligations()
        .iter()
        .filter(|obligation| obligations::needs_document(obligation, &system.obligations, reported, excused))
        .filter_map(|obligation| {
            let missing = obligations::missing_document(obligation, anchor)?;
            Some((obligation.id.as_str(), missing))
        })
        .collect();
    for record in &mut system.obligations {
        let own = reported.get(&record.obligation_id).unwrap_or(&nothing);
        let missing = asks.remove(record.obligation_id.as_str());
        obligations::settle(record, own, documents, missing);
    }
}

/// What the checks reported about a system, by obligation.
fn reported<'a>(
    observed: &'a [Observed],
    system: &System,
    counts: &dyn Fn(&Observed) -> bool,
) -> BTreeMap<String, Reported<'a>> {
    let mut reported: BTreeMap<String, Reported<'a>> = BTreeMap::new();
    let own = observed
        .iter()
        .filter(|item| item.observation.system.as_ref().is_none_or(|id| *id == system.id));
    for item in own.filter(|item| counts(item)) {
        // What is missing, and what is begun, is told from the documents themselves.
        let told = item.check.id == missing::MISSING_DOCUMENT.id || item.is_about_an_unfinished_document();
        if obligations::is_gap(&item.observation) && !told {
            reported
                .entry(item.obligation().to_owned())
                .or_default()
                .fails
                .push(&item.observation);
        } else if item.observation.outcome == Outcome::Info && obligations::INFORMING.contains(&item.obligation()) {
            reported.entry(item.obligation().to_owned()).or_default().undecided = true;
        } else if item.observation.outcome == Outcome::Pass {
            for id in std::iter::once(item.obligation()).chain(item.check.also.iter().copied()) {
                reported
                    .entry(id.to_owned())
                    .or_default()
                    .passes
                    .push(&item.observation);
            }
        }
    }
    reported
}

/// The most telling place of a system: its first call that sends data to a model.
fn anchor(draft: &SystemDraft, calls: &[Call]) -> Option<Location> {
    let own = || draft.calls.iter().map(|index| &calls[*index]);
    let call = own()
        .find(|call| call.kind == CallKind::Call)
        .or_else(|| own().next())?;
    Some(Location {
        file: call.file.clone(),
        line: call.line,
        column: call.column,
        cell: call.cell,
    })
}

fn project_obligations(systems: &[System]) -> Vec<ProjectObligation> {
    systems
        .iter()
        .flat_map(|system| {
            system
                .obligations
                .iter()
                .filter(|record| record.applies != Applies::DoesNotApply)
                .map(|record| ProjectObligation {
                    system: system.id.clone(),
                    record: record.clone(),
                })
        })
        .collect()
}

/// What each layer looks at.
const LAYERS: [(Layer, &str); 4] = [
    (Layer::L1, "files"),
    (Layer::L2, "structure of documents"),
    (Layer::L3, "dependencies and configuration"),
    (Layer::L4, "code"),
];

fn layers(findings: &[Finding], systems: &[System]) -> (BTreeMap<String, LayerStatus>, BTreeMap<String, LayerDetail>) {
    let mut statuses = BTreeMap::new();
    let mut details = BTreeMap::new();
    for (layer, title) in LAYERS {
        let of = |kind| {
            findings
                .iter()
                .filter(move |f| f.layer == layer && f.kind == kind && f.suppressed.is_none())
        };
        let failed = of(FindingType::Fail).count() as u64;
        let passed = of(FindingType::Pass).count() as u64;
        let critical = of(FindingType::Fail).any(|f| f.severity == Severity::Critical);
        let (status, reason) = match (systems.is_empty(), critical, failed) {
            (true, ..) => (LayerStatus::Pass, "no AI system, so nothing can be wanting".to_owned()),
            (_, true, _) => (LayerStatus::Fail, format!("{failed} with a critical one")),
            (_, _, 0) => (LayerStatus::Pass, "nothing was found wanting".to_owned()),
            _ => (
                LayerStatus::Warn,
                applicability::count(usize::try_from(failed).unwrap_or(usize::MAX), "gap"),
            ),
        };
        let name = format!("{layer:?}");
        statuses.insert(name.clone(), status);
        details.insert(
            name,
            LayerDetail {
                title: title.to_owned(),
                checks: checks().filter(|check| check.layer == layer).count() as u64,
                failed,
                passed,
                reason,
            },
        );
    }
    (statuses, details)
}

fn summary(findings: &[Finding], systems: &[System]) -> Summary {
    let mut summary = Summary::default();
    for finding in findings {
        if finding.kind == FindingType::Fail && finding.suppressed.is_none() {
            *summary
                .by_severity
                .entry(finding.severity.name().to_owned())
                .or_default() += 1;
        }
        *summary.by_layer.entry(format!("{:?}", finding.layer)).or_default() += 1;
        *summary
            .by_type
            .entry(format!("{:?}", finding.kind).to_lowercase())
            .or_default() += 1;
    }
    for record in systems.iter().flat_map(|system| &system.obligations) {
        let applies = match record.applies {
            Applies::Applies => "applies",
            Applies::Upcoming => "upcoming",
            Applies::Undetermined => "undetermined",
            Applies::DoesNotApply => "does_not_apply",
        };
        *summary.by_applies.entry(applies.to_owned()).or_default() += 1;
        if record.applies == Applies::Applies {
            let status = match record.status {
                engine_model::ObligationStatus::Evidenced => "evidenced",
                engine_model::ObligationStatus::Gap => "gap",
                engine_model::ObligationStatus::Incomplete => "incomplete",
                engine_model::ObligationStatus::NotEvaluated => "not_evaluated",
            };
            *summary.by_status.entry(status.to_owned()).or_default() += 1;
        }
    }
    summary
}

fn check_counts(findings: &[Finding]) -> (u64, u64, u64) {
    let ids = |kind| -> BTreeSet<&str> {
        findings
            .iter()
            .filter(|f| f.kind == kind && f.suppressed.is_none())
            .map(|f| f.check_id.as_str())
            .collect()
    };
    let (failed, passed) = (ids(FindingType::Fail), ids(FindingType::Pass));
    (
        checks().count() as u64,
        passed.difference(&failed).count() as u64,
        failed.len() as u64,
    )
}

/// What a check observes on a tree, whatever class the systems of the tree have.
pub(crate) fn outcomes(check_id: &str, tree: &MemoryTree, settings: &Settings) -> BTreeSet<Outcome> {
    let per_layer = per_layer(tree.files().map(|file| (file.info(), crate::read(&file))).collect());
    let evaluation = scan_memory(tree, settings);
    let observed = observe(
        settings,
        &per_layer.infos,
        &per_layer.manifests(),
        &evaluation.inventory,
        &evaluation.systems,
        &evaluation.documents,
        &evaluation.artefacts,
        &engine_scan_secrets::join(&per_layer.secrets),
        &engine_scan_cross::join(&per_layer.cross),
        &imported::lacking(&per_layer.code, &evaluation.inventory),
    );
    observed
        .iter()
        .filter(|item| item.check.id == check_id)
        .map(|item| item.observation.outcome)
        .collect()
}
