//! Which page shows the answer of a call: by the route of its handler, by the template that the handler draws, or because it is the only one.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Zone;

use crate::{NoFix, Site};

use super::document::Page;
use super::front::{Front, has_word, places_of};
use super::origin::{Origin, PLACES_MAX, Place, climb};
use super::place::{self, Use};

/// Files between a page and the script that sends its requests.
const IMPORTS_MAX: usize = 4;

/// A page on which people use a call.
#[derive(Debug)]
pub(super) struct Found {
    /// The page.
    pub(super) page: Page,
    /// Its functions that send the request.
    senders: BTreeSet<String>,
}

impl Found {
    /// Whether a part of the page uses the call: it asks for the route, or runs a function that does.
    pub(super) fn uses(&self, origin: &Origin, part: &str) -> bool {
        origin.asks(part) || self.senders.iter().any(|name| has_word(part, name))
    }
}

/// The page on which people use a call, as far as something connects them: the call lies in it, it asks for the route, or a handler draws it.
///
/// # Errors
///
/// Where several pages fit, or one that has no field.
pub(super) fn connected(
    site: &Site<'_>,
    front: &Front,
    at: &Place<'_>,
    origin: &Origin,
    wanted: Use,
) -> Result<Option<Found>, NoFix> {
    if front.draws(at.file)
        && let Ok(code) = site.code(at.file)
        && let Some(page) = Page::of(code)
        && place::has_block(&page, wanted)
    {
        return Ok(Some(Found {
            page,
            senders: origin.names.clone(),
        }));
    }
    let mut candidates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in &front.texts {
        let is_page = front.draws(path);
        if origin.files.contains(path) && !is_page {
            continue;
        }
        let asked = origin.asked(text);
        if is_page && (!asked.is_empty() || calls_directly(front, origin, path, text)) {
            let own: Vec<usize> = origin
                .names
                .iter()
                .flat_map(|name| places_of(text, name))
                .chain(asked)
                .collect();
            candidates
                .entry(path.clone())
                .or_default()
                .extend(senders_at(site, path, &own));
        } else if !asked.is_empty() {
            for (page, names) in pages_over(site, front, path, &asked) {
                candidates.entry(page).or_default().extend(names);
            }
        }
    }
    let near = nearest(site, at.file, candidates.keys().cloned().collect());
    candidates.retain(|path, _| near.contains(path));
    let paths: BTreeSet<String> = candidates.keys().cloned().collect();
    if let Some(page) = chosen(site, front, &paths, wanted)? {
        let senders = candidates.remove(&page.code.path).unwrap_or_default();
        return Ok(Some(Found { page, senders }));
    }
    let drawn: BTreeSet<String> = front
        .texts
        .keys()
        .filter(|path| front.draws(path) && origin.draws(path))
        .cloned()
        .collect();
    if let Some(page) = chosen(site, front, &drawn, wanted)? {
        return Ok(Some(Found {
            page,
            senders: BTreeSet::new(),
        }));
    }
    match candidates.keys().chain(&drawn).next() {
        Some(path) => Err(NoFix::here(format!(
            "`{path}` names the route of the answer, but no field or form was found on it; add the sentence by hand"
        ))),
        None => Ok(None),
    }
}

/// The one page among candidates on which people use the system.
fn chosen(site: &Site<'_>, front: &Front, candidates: &BTreeSet<String>, wanted: Use) -> Result<Option<Page>, NoFix> {
    let mut fitting: BTreeMap<String, Page> = candidates
        .iter()
        .filter_map(|path| Some((path.clone(), front.with_block(site, path, wanted)?)))
        .collect();
    // The field may lie in a part of the page.
    if fitting.is_empty() {
        for path in candidates {
            let own: BTreeSet<&str> = front.imported(path).collect();
            let further = own.iter().flat_map(|part| front.imported(part));
            for part in own.iter().copied().chain(further) {
                if front.draws(part)
                    && !fitting.contains_key(part)
                    && let Some(page) = front.with_block(site, part, wanted)
                {
                    fitting.insert(part.to_owned(), page);
                }
            }
        }
    }
    let mut left: Vec<String> = fitting.keys().cloned().collect();
    best(front, &fitting, &mut left, wanted);
    fitting.retain(|path, _| left.contains(path));
    let mut paths = fitting.keys();
    match (paths.next(), paths.next()) {
        (Some(first), Some(second)) => Err(NoFix::here(format!(
            "`{first}` and `{second}` may both show the answer; choose the page by hand"
        ))),
        _ => Ok(fitting.into_values().next()),
    }
}

/// Keeps the best of several pages: those with a message field; of a page and its parts, the page.
fn best(front: &Front, pages: &BTreeMap<String, Page>, left: &mut Vec<String>, wanted: Use) {
    if wanted == Use::Talk {
        for sure in [true, false] {
            let fitting: Vec<String> = left
                .iter()
                .filter(|path| {
                    pages
                        .get(*path)
                        .is_some_and(|page| place::has_message_field(page, sure))
                })
                .cloned()
                .collect();
            if left.len() > 1 && !fitting.is_empty() {
                *left = fitting;
            }
        }
    }
    let whole = left
        .iter()
        .find(|path| left.iter().all(|other| other == *path || front.has_import(path, other)))
        .cloned();
    if let Some(whole) = whole {
        *left = vec![whole];
    }
}

/// The only page of the product on which people can use a system.
///
/// # Errors
///
/// Where there is none, or where there are several.
pub(super) fn only(site: &Site<'_>, front: &Front, wanted: Use) -> Result<Page, NoFix> {
    let systems: BTreeSet<&str> = site
        .inventory
        .calls
        .iter()
        .filter(|call| call.zone == Zone::Product)
        .filter_map(|call| call.system.as_deref())
        .collect();
    let none = || NoFix::here("no page that shows the answer was found in this repository");
    let mut pages: BTreeMap<String, Page> = front
        .texts
        .keys()
        .filter(|path| front.draws(path))
        .filter_map(|path| Some((path.clone(), front.with_block(site, path, wanted)?)))
        .collect();
    let mut left: Vec<String> = pages.keys().cloned().collect();
    best(front, &pages, &mut left, wanted);
    if let [first, second, ..] = left.as_slice() {
        return Err(NoFix::here(format!(
            "`{first}` and `{second}` may both show the answer; choose the page by hand"
        )));
    }
    let page = left.first().and_then(|path| pages.remove(path)).ok_or_else(none)?;
    if systems.len() > 1 {
        return Err(NoFix::here(format!(
            "the project has several AI systems, and no route connects `{}` with this one",
            page.code.path
        )));
    }
    Ok(page)
}

/// The pages that reach some places of a script, each with its functions that do: by the function around each place, and by those that call it.
fn pages_over(site: &Site<'_>, front: &Front, path: &str, places: &[usize]) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut seen: BTreeSet<String> = BTreeSet::from([path.to_owned()]);
    let mut next: Vec<(String, BTreeSet<String>)> = vec![(path.to_owned(), functions_at(site, path, places))];
    for _ in 0..IMPORTS_MAX {
        let mut further = Vec::new();
        for (file, names) in next {
            for other in front.importers(&file) {
                let text = front.texts.get(other).map_or("", String::as_str);
                let used: Vec<usize> = names.iter().flat_map(|name| places_of(text, name)).collect();
                if !names.is_empty() && used.is_empty() {
                    continue;
                }
                if front.draws(other) {
                    out.entry(other.to_owned())
                        .or_default()
                        .extend(senders_at(site, other, &used));
                } else if seen.insert(other.to_owned()) {
                    further.push((other.to_owned(), functions_at(site, other, &used)));
                }
            }
        }
        next = further;
    }
    out
}

/// The names of the outermost functions around places of a script, which other files import.
fn functions_at(site: &Site<'_>, path: &str, places: &[usize]) -> BTreeSet<String> {
    let Ok(code) = site.code(path) else {
        return BTreeSet::new();
    };
    places
        .iter()
        .take(PLACES_MAX)
        .filter_map(|offset| {
            let climbed = climb(&code, *offset);
            climbed.functions.last().or(climbed.classes.last()).cloned()
        })
        .collect()
}

/// The names of the functions inside of a component around places of its file.
fn senders_at(site: &Site<'_>, path: &str, places: &[usize]) -> BTreeSet<String> {
    let Ok(code) = site.code(path) else {
        return BTreeSet::new();
    };
    let mut out = BTreeSet::new();
    for offset in places.iter().take(PLACES_MAX) {
        let mut names = climb(&code, *offset).functions;
        // The last one is the component.
        names.pop();
        out.extend(names);
    }
    out
}

/// Of several pages those of the program that the call belongs to.
fn nearest(site: &Site<'_>, file: &str, pages: BTreeSet<String>) -> BTreeSet<String> {
    const MANIFESTS: [&str; 7] = [
        "package.json",
        "pyproject.toml",
        "requirements.txt",
        "pom.xml",
        "go.mod",
        "composer.json",
        "Gemfile",
    ];
    let root = |path: &str| {
        let mut folder = path.rsplit_once('/').map(|(folder, _)| folder);
        while let Some(at) = folder {
            if MANIFESTS
                .iter()
                .any(|name| site.paths.binary_search(&format!("{at}/{name}").as_str()).is_ok())
            {
                return at.to_owned();
            }
            folder = at.rsplit_once('/').map(|(folder, _)| folder);
        }
        String::new()
    };
    let own = root(file);
    let near: BTreeSet<String> = pages.iter().filter(|page| root(page) == own).cloned().collect();
    if near.is_empty() { pages } else { near }
}

/// Whether a component calls a function on the way by its name, since it imports the file: an action of the server.
fn calls_directly(front: &Front, origin: &Origin, path: &str, text: &str) -> bool {
    origin.files.iter().any(|file| {
        file != path && front.has_import(path, file) && origin.names.iter().any(|name| has_word(text, name))
    })
}
