//! The files of a project together.

use std::collections::{BTreeMap, BTreeSet};

use engine_catalogue::catalogue;
use engine_model::{
    CallKind, DataComponent, EntryPointKind, Evidence, EvidenceKind, FileInfo, Language, McpServer, ModelUse, Prompt,
    Service, SourceText, Zone,
};
use engine_syntax::ir::{Expr, ExprId, Pattern, StmtKind};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::arguments::Site;
use crate::calls::{Extras, Found};
use crate::facts::disclosure::{Notice, ToldOnPages};
use crate::facts::notices::{Rank, excerpt};
use crate::flow::Flow;
use crate::modules::Texts;
use crate::values::ExprRef;
use crate::world::World;
use crate::{
    AgentDefinition, CodeFacts, CodeJoin, ManifestNames, calls, capabilities, config, dead_code, entry, facts,
    model_names, outline, people, project, traces, unused_components,
};

/// Templates that are asked for a notice, and the longest that is.
const PAGES_MAX: usize = 400;
const PAGE_BYTES_MAX: u64 = 256 * 1024;

/// The join, and the files that were resolved with the digests of their code. What is asked of `source` is text that matters by itself; lowered
/// files come from `texts`.
pub(crate) fn join(
    files: &[(&FileInfo, &CodeFacts)],
    packages: &ManifestNames,
    source: &dyn SourceText,
    texts: &Texts<'_>,
) -> (CodeJoin, Vec<(String, [u8; 32])>) {
    let gathered = project::gather(files, source, texts);
    let mut prompts_aside: Vec<Prompt> = gathered.aside.iter().copied().flat_map(prompts_of).collect();
    if gathered.sources.is_empty() {
        let join = CodeJoin {
            prompts: sorted(prompts_aside),
            ..CodeJoin::default()
        };
        return (join, Vec::new());
    }
    let live = gathered
        .sources
        .iter()
        .map(|source| (source.path.to_owned(), source.code))
        .collect();
    let world = World::new(&gathered.sources, &gathered.paths);
    world.link();
    let context = calls::context(&world, packages);
    let (mut found, extras) = calls::find(&world, &context);
    found.extend(crate::unlisted_clients::sent_whole(&world, &found));
    if extras.sends && !found.iter().any(|found| found.call.zone == Zone::Product) {
        found.extend(crate::unlisted_clients::named_together(&world));
    }
    let entries = entry::find(&world);
    // Where nothing else was found, who answers from a store of vectors is not known, and saying so is worth more than the store.
    let is_store = |found: &Found| found.call.sdk.as_deref() == Some("langchain-stores");
    let mut asked = found
        .iter()
        .filter(|found| found.call.kind == CallKind::Call && found.call.zone == Zone::Product);
    if asked.all(is_store) {
        found.retain(|found| !is_store(found));
    }
    let threads = crate::threads::join(&world, &found);
    let answers: HashMap<ExprRef, usize> = found
        .iter()
        .enumerate()
        .filter(|(_, found)| found.call.kind == CallKind::Call)
        .map(|(at, found)| (found.at, at))
        .chain(threads.read.iter().copied())
        .collect();
    let handlers: HashSet<_> = entries
        .iter()
        .filter(|entry| {
            !matches!(
                entry.kind,
                EntryPointKind::Main | EntryPointKind::Library | EntryPointKind::Job
            )
        })
        .filter_map(|entry| entry.function)
        .collect();
    let flow = Flow::new(&world, answers, handlers.clone()).with_said(threads.said);
    let unused = unused_components::components(files, texts);
    // Who answers, with which model, and what comes of it is known before the facts around a call are.
    let everything: HashMap<ExprRef, usize> = found.iter().enumerate().map(|(at, found)| (found.at, at)).collect();
    config::settle(&world, &context, files, source, &mut found);
    let unasked = crate::overridden_defaults::settle(&world, &mut found);
    model_names::fill(&world, &unasked, &mut found);
    let sending: BTreeSet<usize> = answers_of(&found);
    let sources = capabilities::fill(&world, &flow, &handlers, &mut found);
    facts::fill(
        &world,
        &flow,
        &entries,
        &facts::Around {
            pages: &|| told_on_pages(files, texts, &unused, &gathered.paths),
            stored: &|| stored(files),
            started: &|| facts::subprocesses::Started::read(files, texts),
            taken: &|| facts::handlers::Handled::read(files, texts),
            unused: &unused,
        },
        &mut found,
    );
    capabilities::without_conversations(&mut found);
    dead_code::mark(&world, &entries, files, &unused, texts, &mut found);
    dead_code::mark_optional(&world, &mut found);
    traces::fill(
        &world,
        &flow,
        sources.as_ref(),
        &|whole, is| shown_on_pages(files, texts, whole, is),
        &mut found,
    );
    let mut signals = capabilities::signals(&found);
    let (about_people, structures) = people::find(
        &world,
        &flow,
        &found,
        &entries,
        &people::forms::Pages { files, source, texts },
    );
    signals.extend(about_people);
    signals.sort();
    signals.dedup();
    let join = CodeJoin {
        entry_points: entry::reach(&world, &entries, &everything, &sending),
        models: models(&found, model_names::further(&world, &unasked, &found)),
        services: services(&found),
        prompts: {
            prompts_aside.extend(prompts(&world, &found));
            sorted(prompts_aside)
        },
        mcp_servers: mcp_servers(&world, &found, &extras),
        datasets: extras
            .datasets
            .iter()
            .map(|(at, name)| DataComponent {
                name: name.clone(),
                file: world.unit(at.0).path.to_owned(),
                line: world.span(*at).line,
            })
            .collect(),
        agents: agents(&world, &found),
        signals,
        structures,
        cut: {
            let mut cut = world.known.costly.borrow().clone();
            cut.extend(&extras.cut);
            cut.iter().map(|unit| world.unit(*unit).path.to_owned()).collect()
        },
        unparsed: gathered
            .sources
            .iter()
            .filter(|source| !source.module.unparsed.is_empty())
            .map(|source| (source.path.to_owned(), source.module.unparsed.to_vec()))
            .collect(),
        unused: unused.into_iter().collect(),
        calls: found.into_iter().map(|found| found.call).collect(),
    };
    (join, live)
}

/// Records that send data to a model or load one into the process.
fn answers_of(found: &[Found]) -> BTreeSet<usize> {
    (0..found.len())
        .filter(|at| matches!(found[*at].call.kind, CallKind::Call | CallKind::McpServer))
        .collect()
}

fn models(found: &[Found], further: Vec<(String, Option<String>, String)>) -> Vec<ModelUse> {
    let mut out: BTreeMap<(String, Option<String>), ModelUse> = BTreeMap::new();
    let named = found.iter().filter_map(|found| {
        let call = &found.call;
        let place = format!("{}:{}", call.file, call.line);
        let who = (call.provider.clone(), !call.is_of_unknown_host());
        Some((call.model.clone()?, who, call.model_pinned, place))
    });
    let further = further.into_iter().map(|(name, provider, place)| {
        let pinned = crate::model_text::pinned(&name);
        (name, (provider, true), pinned, place)
    });
    for (name, (provider, known_host), pinned, place) in named.chain(further) {
        let info = catalogue().model(&name);
        let entry = out.entry((name.clone(), provider.clone())).or_insert_with(|| ModelUse {
            provider: provider
                .clone()
                .or_else(|| info.as_ref().map(|info| info.provider.to_owned())),
            family: info.as_ref().map(|info| info.family.to_owned()),
            pinned,
            retired: None,
            occurrences: Vec::new(),
            name,
        });
        if known_host {
            entry.retired = info
                .as_ref()
                .and_then(|info| info.retired_by(provider.as_deref()))
                .map(str::to_owned);
        }
        // Records are in the order of their places.
        if entry.occurrences.last() != Some(&place) {
            entry.occurrences.push(place);
        }
    }
    out.into_values().collect()
}

fn services(found: &[Found]) -> Vec<Service> {
    let mut out: BTreeMap<(String, Option<String>), Vec<String>> = BTreeMap::new();
    for found in found.iter().filter(|found| found.call.kind == CallKind::Call) {
        let Some(provider) = &found.call.provider else { continue };
        if provider == "local" {
            continue;
        }
        let places = out.entry((provider.clone(), found.call.host.clone())).or_default();
        let place = format!("{}:{}", found.call.file, found.call.line);
        // Records are in the order of their places.
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    out.into_iter()
        .map(|((provider, host), occurrences)| Service {
            provider,
            host,
            occurrences,
        })
        .collect()
}

/// Long constants in files that call models and that a name or an argument marks as a prompt.
fn prompts(world: &World<'_>, found: &[Found]) -> Vec<Prompt> {
    let units: BTreeSet<u32> = found.iter().map(|found| found.at.0).collect();
    let mut out = Vec::new();
    for unit in 0..crate::values::id(world.units.len()) {
        let index = world.index(unit);
        for info in &index.stmts {
            let StmtKind::Assign {
                target: Pattern::Name(name),
                value: Some(value),
                ..
            } = &info.stmt.kind
            else {
                continue;
            };
            let lower = name.to_ascii_lowercase();
            if !outline::is_prompt_name(&lower) && (!units.contains(&unit) || !lower.contains("template")) {
                continue;
            }
            if let Some(text) = outline::long_text(index.module, *value) {
                out.push(Prompt {
                    file: world.unit(unit).path.to_owned(),
                    line: info.stmt.span.line,
                    name: name.to_string(),
                    digest: blake3::hash(text.as_bytes()).to_hex().to_string(),
                });
            }
        }
    }
    out
}

/// The prompts of a file that leads to no model.
fn prompts_of((info, facts): (&FileInfo, &CodeFacts)) -> impl Iterator<Item = Prompt> {
    facts.outline.prompts.iter().map(|mark| Prompt {
        file: info.path.clone(),
        line: mark.line,
        name: mark.name.to_string(),
        digest: mark.digest.to_string(),
    })
}

fn sorted(mut prompts: Vec<Prompt>) -> Vec<Prompt> {
    prompts.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    prompts
}

fn mcp_servers(world: &World<'_>, found: &[Found], extras: &Extras) -> Vec<McpServer> {
    let mut out: Vec<McpServer> = found
        .iter()
        .filter(|found| found.call.kind == CallKind::McpServer)
        .map(|found| {
            let name = ["#0", "name", "#0.name"]
                .iter()
                .find_map(|key| world.constant(&world.argument(found.at, key)))
                .unwrap_or_else(|| "server".to_owned());
            McpServer {
                name,
                transport: "code".to_owned(),
                target: None,
                file: found.call.file.clone(),
                line: found.call.line,
            }
        })
        .collect();
    for (at, path) in &extras.mcp_clients {
        let site = Site { at: *at, path };
        let value = |keys: &[&str]| keys.iter().find_map(|key| world.constant(&world.refer(&site, key)));
        let command = value(&["command", "#0.command"]);
        let url = value(&["url", "#0.url", "#0"]).filter(|url| url.contains("://"));
        let Some(target) = command.clone().or(url) else {
            continue;
        };
        out.push(McpServer {
            name: target.rsplit('/').next().unwrap_or(&target).to_owned(),
            transport: if command.is_some() { "stdio" } else { "http" }.to_owned(),
            // Addresses may carry keys behind the question mark.
            target: Some(target.split('?').next().unwrap_or(&target).to_owned()),
            file: world.unit(at.0).path.to_owned(),
            line: world.span(*at).line,
        });
    }
    out.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    out
}

fn agents(world: &World<'_>, found: &[Found]) -> Vec<AgentDefinition> {
    found
        .iter()
        .filter(|found| found.call.kind == CallKind::Declare && is_agent(&found.call.symbol))
        .map(|found| {
            let given = ["name", "#0.name", "agent_name", "role"]
                .iter()
                .find_map(|key| world.constant(&world.argument(found.at, key)));
            AgentDefinition {
                name: given
                    .or_else(|| bound_name(world, found.at))
                    .unwrap_or_else(|| "agent".to_owned()),
                file: found.call.file.clone(),
                line: found.call.line,
                framework: found.call.sdk.clone().unwrap_or_default(),
                provider: found.call.provider.clone(),
                model: found.call.model.clone(),
                tools: found.call.tools.clone(),
                human_approval: found.call.human_approval == Some(true),
                zone: found.call.zone,
            }
        })
        .collect()
}

fn is_agent(symbol: &str) -> bool {
    let last = symbol.rsplit('.').next().unwrap_or(symbol).to_ascii_lowercase();
    last.contains("agent")
        || last.contains("assistant")
        || last == "compile"
        || symbol.to_ascii_lowercase().contains("agent(")
}

/// The variable that holds what an expression makes.
pub(crate) fn bound_name(world: &World<'_>, at: ExprRef) -> Option<String> {
    let index = world.index(at.0);
    let stmt = index.expr_stmt[at.1.0 as usize];
    if stmt == crate::index::NONE {
        return None;
    }
    let StmtKind::Assign { target, .. } = &index.stmts[stmt as usize].stmt.kind else {
        return None;
    };
    match target {
        Pattern::Name(name) => Some(name.to_string()),
        Pattern::Place(place) => match index.module.expr(ExprId(place.0)) {
            Expr::Member { name, .. } => Some(name.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// The templates of the product whose texts tell people best that an AI answers, one text of each, and what pages ask of a server: by
/// themselves, or by what they are made of.
fn told_on_pages(
    files: &[(&FileInfo, &CodeFacts)],
    texts: &Texts<'_>,
    unused: &BTreeSet<String>,
    paths: &project::Paths<'_>,
) -> ToldOnPages {
    let mut out = ToldOnPages::default();
    let pages: Vec<(&FileInfo, &CodeFacts)> = files
        .iter()
        .filter(|(info, _)| info.zone == Zone::Product && info.size <= PAGE_BYTES_MAX && is_drawn(info))
        .filter(|(info, _)| !unused.contains(&info.path))
        .take(PAGES_MAX)
        .copied()
        .collect();
    let by_path: HashMap<&str, &CodeFacts> = pages.iter().map(|(info, facts)| (info.path.as_str(), *facts)).collect();
    for (info, _) in &pages {
        let page = texts.page(&info.path);
        // What a page is made of asks for it.
        let mut parts = vec![info.path.as_str()];
        let mut next = 0;
        while next < parts.len() && parts.len() < PARTS_MAX {
            let imports = by_path
                .get(parts[next])
                .map_or(&[][..], |facts| facts.imports.as_slice());
            for module in imports {
                if let Some(part) = paths.resolve(parts[next], Language::TypeScript, module)
                    && by_path.contains_key(part)
                    && !parts.contains(&part)
                {
                    parts.push(part);
                }
            }
            next += 1;
        }
        let asks: BTreeSet<String> = parts.iter().flat_map(|part| texts.page(part).asks.clone()).collect();
        let talks = !asks.is_empty();
        if talks {
            out.asks.insert(info.path.clone(), asks);
        }
        let told = page
            .shown
            .iter()
            .find(|(_, shown)| facts::notices::tells_on_page(shown));
        let Some((line, text)) = told.map(|(line, text)| (*line, excerpt(text))) else {
            continue;
        };
        // A page for help may hold the talk itself; then it speaks for what it asks.
        let rank = facts::notices::rank(&info.path, &text, false).or_else(|| {
            facts::notices::rank("", &text, false)
                .filter(|_| talks)
                .map(|rank| rank.min(Rank::Tells))
        });
        let Some(rank) = rank else {
            continue;
        };
        let file = info.path.clone();
        out.told.push((rank, Notice { file, line, text }));
    }
    // The best first; of equal ones the first page.
    out.told.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    out
}

/// Files that one page is made of and that are looked at.
const PARTS_MAX: usize = 60;

/// Whether a file draws a page with elements: a template, or a component whether or not a model leads to it.
fn is_drawn(info: &FileInfo) -> bool {
    let ending = info.path.rsplit('.').next().unwrap_or("");
    info.language == Language::Html
        || crate::holds_scripts(&info.path)
        || matches!(ending, "jsx" | "tsx" | "cshtml" | "razor")
        // A component of React in a plain script begins with a capital: `App.js`.
        || ending == "js"
            && info.path.rsplit('/').next().is_some_and(|name| {
                name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase())
            })
        || ending == "erb" && is_view(&info.path)
        || matches!(
            ending,
            "jte"
                | "kte"
                | "ftlh"
                | "jsp"
                | "hbs"
                | "handlebars"
                | "mustache"
                | "ejs"
                | "twig"
                | "njk"
                | "gohtml"
                | "phtml"
        )
        || is_drawn_by_php(&info.path)
}

/// Whether a file of PHP is a template, by its name or its folder: most of its lines are the page itself.
fn is_drawn_by_php(path: &str) -> bool {
    path.strip_suffix(".php").is_some_and(|path| {
        [".blade", ".tpl"].iter().any(|end| path.ends_with(end))
            || path
                .rsplit('/')
                .skip(1)
                .any(|folder| matches!(folder, "templates" | "template" | "views" | "partials"))
    })
}

/// Whether a template of Ruby writes a page, and no letter, script or prompt.
fn is_view(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let page = name.ends_with(".html.erb") || name.ends_with(".turbo_stream.erb") || name.matches('.').count() == 1;
    page && !folder
        .split('/')
        .any(|part| part.ends_with("_mailer") || part.ends_with("_agent") || part.contains("prompt"))
}

/// The first text of a page of the product that is of a kind, in templates and in components that no model leads to; `whole` asks about all texts
/// of a page together, and gives the first of them.
fn shown_on_pages(
    files: &[(&FileInfo, &CodeFacts)],
    texts: &Texts<'_>,
    whole: bool,
    is: &dyn Fn(&str) -> bool,
) -> Option<Evidence> {
    files
        .iter()
        .filter(|(info, _)| info.zone == Zone::Product && info.size <= PAGE_BYTES_MAX && is_drawn(info))
        .take(PAGES_MAX)
        .find_map(|(info, _)| {
            let page = texts.page(&info.path);
            let (line, text) = if whole {
                let all: Vec<&str> = page.shown.iter().map(|(_, shown)| shown.as_str()).collect();
                page.shown.first().filter(|_| is(&all.join("\n")))?
            } else {
                page.shown.iter().find(|(_, shown)| is(shown))?
            };
            Some(Evidence {
                kind: EvidenceKind::Code,
                reference: excerpt(text),
                file: Some(info.path.clone()),
                line: Some(*line),
                hash: None,
            })
        })
}

/// Whether what a file keeps are no answers, by the folder in which it lies: the history of a schema, and who may sign in.
fn keeps_no_answers(path: &str) -> bool {
    path.rsplit('/').skip(1).any(|folder| {
        matches!(
            folder,
            "alembic" | "migrations" | "migration" | "auth" | "authentication" | "iam" | "identity"
        )
    })
}

/// The first file of the product that imports a store of rows.
fn stored(files: &[(&FileInfo, &CodeFacts)]) -> Option<Evidence> {
    files
        .iter()
        .filter(|(info, _)| info.zone == Zone::Product && !keeps_no_answers(&info.path))
        .find_map(|(info, facts)| {
            let module = facts.imports.iter().find(|module| facts::is_store(module))?;
            Some(Evidence {
                kind: EvidenceKind::Code,
                reference: module.clone(),
                file: Some(info.path.clone()),
                line: None,
                hash: None,
            })
        })
}
