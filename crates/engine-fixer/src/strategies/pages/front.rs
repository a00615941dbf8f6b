//! The files that a page is made of, and which of them import each other.

use std::collections::{BTreeMap, BTreeSet};

use engine_model::Zone;

use crate::Site;

use super::document::{Page, ending};
use super::place::{self, Use};

/// Bytes of a page or script that is searched.
const SEARCHED_BYTES_MAX: usize = 600_000;

/// Whether a path is that of a page, by its ending.
pub(super) fn is_page(path: &str) -> bool {
    matches!(
        ending(path),
        "html"
            | "htm"
            | "tsx"
            | "jsx"
            | "vue"
            | "svelte"
            | "astro"
            | "cshtml"
            | "razor"
            | "jsp"
            | "j2"
            | "jinja2"
            | "ejs"
            | "erb"
            | "hbs"
            | "handlebars"
            | "mustache"
            | "twig"
            | "njk"
            | "gohtml"
            | "phtml"
            | "php"
    ) || ending(path) == "js"
}

/// Whether a file is sent to the browser, and may ask for a route.
fn is_front(path: &str) -> bool {
    is_page(path) || matches!(ending(path), "ts" | "mjs" | "js")
}

/// The text of a file, without a tree.
pub(super) fn text_of(site: &Site<'_>, path: &str) -> Option<String> {
    let file = site.source.file(path)?;
    if file.bytes.len() > SEARCHED_BYTES_MAX {
        return None;
    }
    String::from_utf8(file.bytes.into_owned()).ok()
}

/// The files of the product with their texts that a page may be made of.
pub(super) struct Front {
    /// Their texts by path.
    pub(super) texts: BTreeMap<String, String>,
    /// The files that each file imports.
    imports: BTreeMap<String, BTreeSet<String>>,
}

impl Front {
    /// Reads them.
    pub(super) fn of(site: &Site<'_>) -> Self {
        let texts: BTreeMap<String, String> = site
            .paths
            .iter()
            .filter(|path| is_front(path) && Zone::of_path(path, "") == Zone::Product)
            .filter_map(|path| {
                let text = text_of(site, path)?;
                let head: String = text.chars().take(600).collect();
                (Zone::of_path(path, &head) == Zone::Product).then(|| ((*path).to_owned(), text))
            })
            .collect();
        // Files by their paths without an ending, and scripts by their names.
        let mut modules: BTreeMap<&str, &str> = BTreeMap::new();
        let mut scripts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for path in texts.keys() {
            let without = path.rsplit_once('.').map_or(path.as_str(), |(path, _)| path);
            modules.entry(without).or_insert(path);
            if let Some(folder) = without.strip_suffix("/index") {
                modules.entry(folder).or_insert(path);
            }
            modules.insert(path, path);
            if matches!(ending(path), "js" | "mjs") {
                scripts
                    .entry(path.rsplit('/').next().unwrap_or(path))
                    .or_default()
                    .push(path);
            }
        }
        let mut imports: BTreeMap<String, BTreeSet<String>> = texts
            .iter()
            .map(|(path, text)| {
                let mut own: BTreeSet<String> =
                    quoted(text).filter_map(|said| imported(path, said, &modules)).collect();
                if !matches!(ending(path), "ts" | "tsx" | "js" | "jsx" | "mjs") {
                    own.extend(sources(text, &scripts));
                }
                own.remove(path);
                (path.clone(), own)
            })
            .collect();
        // An index file passes on what it imports.
        let passed: BTreeMap<String, BTreeSet<String>> = imports
            .iter()
            .filter(|(path, _)| {
                path.rsplit('/').next().is_some_and(|name| name.starts_with("index.")) && !is_page(path)
            })
            .map(|(path, all)| (path.clone(), all.clone()))
            .collect();
        for all in imports.values_mut() {
            let further: Vec<String> = all
                .iter()
                .filter_map(|path| passed.get(path))
                .flatten()
                .cloned()
                .collect();
            all.extend(further);
        }
        Self { texts, imports }
    }

    /// Whether a file draws elements, and is no building block of all pages.
    pub(super) fn draws(&self, path: &str) -> bool {
        is_page(path)
            && self.texts.get(path).is_some_and(|text| {
                if is_building_block(path, text) {
                    return false;
                }
                match ending(path) {
                    // A script that writes HTML as a text draws no elements.
                    "js" => {
                        ["eact", "/pages/", "/app/"]
                            .iter()
                            .any(|mark| text.contains(mark) || path.contains(mark))
                            && (text.contains("</") || text.contains("/>"))
                    }
                    "php" | "tsx" | "jsx" => text.contains("</") || text.contains("/>"),
                    _ => text.contains('<'),
                }
            })
    }

    /// A page with a part with which people use a system.
    pub(super) fn with_block(&self, site: &Site<'_>, path: &str, wanted: Use) -> Option<Page> {
        let text = self.texts.get(path)?;
        if !place::may_have_block(text, wanted) {
            return None;
        }
        Page::of(site.code(path).ok()?).filter(|page| place::has_block(page, wanted))
    }

    /// Whether a file imports another.
    pub(super) fn has_import(&self, path: &str, other: &str) -> bool {
        self.imports.get(path).is_some_and(|all| all.contains(other))
    }

    /// The files that import a file.
    pub(super) fn importers<'f>(&'f self, path: &'f str) -> impl Iterator<Item = &'f str> {
        self.imports
            .iter()
            .filter(move |(_, all)| all.contains(path))
            .map(|(other, _)| other.as_str())
    }

    /// The files that a file imports.
    pub(super) fn imported(&self, path: &str) -> impl Iterator<Item = &str> {
        self.imports.get(path).into_iter().flatten().map(String::as_str)
    }
}

/// Whether a component is a field or a button for all pages, by its name and since it sends nothing.
fn is_building_block(path: &str, text: &str) -> bool {
    const BLOCKS: [&str; 8] = [
        "input",
        "textarea",
        "textfield",
        "button",
        "select",
        "autocomplete",
        "customtextfield",
        "combobox",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name
        .split('.')
        .next()
        .unwrap_or(name)
        .to_ascii_lowercase()
        .replace(['-', '_'], "");
    let is_named = matches!(ending(path), "tsx" | "jsx" | "vue" | "svelte") && BLOCKS.contains(&stem.as_str());
    path.contains("components/ui/") || is_named && !text.contains("<form") && !text.contains("utton")
}

/// The file that a text in quotes names as a module.
fn imported(from: &str, said: &str, modules: &BTreeMap<&str, &str>) -> Option<String> {
    const ALIASES: [&str; 6] = ["@/", "~/", "$lib/", "src/", "@@/", "#/"];
    if said.len() <= 2 || said.len() > 200 || said.contains(char::is_whitespace) {
        return None;
    }
    let plain = said.strip_suffix(".js").unwrap_or(said);
    if plain.starts_with('.') {
        let at = |said: &str| resolved(from, said).and_then(|path| modules.get(path.as_str()).copied());
        return at(plain).or_else(|| at(said)).map(str::to_owned);
    }
    // An alias names a folder of the same program.
    let rest = ALIASES.iter().find_map(|alias| plain.strip_prefix(alias))?;
    let end = format!("/{rest}");
    let found = modules
        .iter()
        .filter(|(path, _)| **path == rest || path.ends_with(&end))
        .max_by_key(|(path, _)| shared(from, path));
    found.map(|(_, path)| (*path).to_owned())
}

/// The scripts that a page names by their files, from a folder that the server knows.
fn sources(text: &str, scripts: &BTreeMap<&str, Vec<&str>>) -> Vec<String> {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '{' | '}' | '=' | '?' | '<' | '>')
    })
    .filter(|part| matches!(ending(part), "js" | "mjs"))
    .filter_map(|part| scripts.get(part.rsplit('/').next()?))
    .flatten()
    .map(|path| (*path).to_owned())
    .collect()
}

/// The number of folders at the beginning of two paths that are the same.
fn shared(path: &str, other: &str) -> usize {
    path.split('/')
        .zip(other.split('/'))
        .take_while(|(own, other)| own == other)
        .count()
}

/// The path of a relative import.
fn resolved(from: &str, said: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in said.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Texts between quotes, on one line each.
pub(super) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find(['"', '\'', '`'])?;
            let quote = rest.get(open..=open)?;
            let inner = rest.get(open + 1..)?;
            let end = inner.find([quote.chars().next()?, '\n'])?;
            let closes = inner.get(end..).is_some_and(|rest| rest.starts_with(quote));
            // A quote that nothing closes on its line is an apostrophe.
            if !closes {
                rest = inner;
                continue;
            }
            rest = inner.get(end + 1..)?;
            return inner.get(..end);
        }
    })
}

/// Whether a text has a word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    places_of(text, word).next().is_some()
}

/// The places of a word in a text.
pub(super) fn places_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> {
    let apart = |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !word.is_empty()
            && apart(text.get(..*at).and_then(|before| before.chars().next_back()))
            && apart(text.get(at + word.len()..).and_then(|after| after.chars().next()))
    })
}
