//! Model services that parsed code names without a resolved call: an address, or the setting with the key. For such
//! projects the report must not state that no AI was found.

use std::collections::HashSet;

use engine_catalogue::{catalogue, is_setting_of_a_model_service};
use engine_model::{FileInfo, Language, SourceText, Zone};
use engine_syntax::ir::{Expr, ExprId, Module, Pattern, StmtKind};

use crate::CodeFacts;

/// Libraries that drive a browser.
const BROWSERS: [&str; 12] = [
    "playwright",
    "playwright_stealth",
    "@playwright",
    "puppeteer",
    "puppeteer-core",
    "puppeteer-extra",
    "selenium",
    "selenium-webdriver",
    "undetected_chromedriver",
    "seleniumbase",
    "github.com/chromedp/chromedp",
    "github.com/go-rod/rod",
];

/// Pages on which people talk with a model.
const CHAT_PAGES: [&str; 12] = [
    "chat.openai.com",
    "chatgpt.com",
    "claude.ai",
    "gemini.google.com",
    "bard.google.com",
    "copilot.microsoft.com",
    "chat.deepseek.com",
    "chat.mistral.ai",
    "grok.com",
    "poe.com",
    "perplexity.ai",
    "character.ai",
];

/// The ending of a script that an extension of a browser runs on pages of others.
const USER_SCRIPT: &str = ".user.js";

/// Whether a file may name a model service at all, as its facts tell.
pub fn may_name_a_service(info: &FileInfo, facts: &CodeFacts) -> bool {
    // Addresses hold a dot and the names of settings go on behind an underscore; other words bring no file here.
    let telling = |literal: &String| literal.ends_with('_') || literal.contains('.');
    let tells =
        facts.mentions.iter().any(telling) || drives_a_browser(&facts.imports) || info.path.ends_with(USER_SCRIPT);
    facts.parsed && info.zone == Zone::Product && tells
}

/// Whether something that a file brings in opens pages in a browser and types into them.
fn drives_a_browser<T: AsRef<str>>(imports: &[T]) -> bool {
    imports.iter().any(|module| {
        let module = module.as_ref();
        BROWSERS.iter().any(|library| {
            module
                .strip_prefix(library)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
        })
    })
}

/// The page of a text that a browser is sent to, where people talk with a model on it.
fn chat_page(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let bare = host.strip_prefix("www.").unwrap_or(host);
    CHAT_PAGES.contains(&bare).then_some(bare)
}

/// The host of a model service that the head of a user script asks leave to connect to: `// @connect api.openai.com`.
fn connected(text: &str) -> Option<(u32, &str)> {
    (1..)
        .zip(text.lines())
        .take_while(|(_, line)| !line.contains("==/UserScript=="))
        .find_map(|(number, line)| {
            let mut words = line.split_whitespace();
            let host = (words.next() == Some("//") && words.next() == Some("@connect")).then(|| words.next())??;
            Some((number, catalogue().host_of_a_model_service(host)?))
        })
}

/// A library for models, or the address of a model service, that a line of a file names.
pub fn literal_in(path: &str, line: &str) -> Option<String> {
    let language = crate::language_of(path, Language::of(path, ""));
    let literals = crate::prefilter::mentions(language, line).literals;
    let tells = |literal: &String| {
        catalogue().host_of_a_model_service(literal).is_some() || crate::shapes::knows_root(language, literal)
    };
    literals.into_iter().find(tells)
}

/// The first place of a file that names a model service outside lists and keys of maps: a list of names says nothing of what
/// is asked.
///
/// A constant map of names is a list too, as long as nothing takes a name out of it: it comes with the names under which others reach it.
pub fn named_service(info: &FileInfo, source: &dyn SourceText) -> Option<Named> {
    let file = source.file(&info.path)?;
    let text = file.text()?;
    let module = crate::lower(&info.path, crate::language_of(&info.path, info.language), &text)?;
    let listed = listed(&module);
    let imports: Vec<&str> = module.imports.iter().map(|import| import.module.as_str()).collect();
    let opens_pages = drives_a_browser(&imports);
    let named = module.exprs.iter().enumerate().filter_map(|(at, node)| {
        let what = match &node.kind {
            Expr::Str(text) if !is_listed(&listed, at) => catalogue()
                .host_of_a_model_service(default_of(text.trim()))
                .or_else(|| is_setting_of_a_model_service(text).then_some(text))
                .or_else(|| is_placeholder_of_one(text).then_some(text))
                .or_else(|| chat_page(text.trim()).filter(|_| opens_pages)),
            Expr::Member { name, .. } => is_setting_of_a_model_service(name).then_some(name.as_str()),
            _ => None,
        }?;
        Some((node.span().line, what))
    });
    let head = info.path.ends_with(USER_SCRIPT).then(|| connected(&text)).flatten();
    let (line, what) = head.or(named.min())?;
    let what = what.to_owned();
    let table = head.is_none().then(|| table(&info.path, &module)).flatten();
    Some(Named { line, what, table })
}

/// A place that names a model service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Line, from 1.
    pub line: u32,
    /// The address or setting.
    pub what: String,
    /// The names under which other files reach the table, where the file holds nothing but constant tables.
    pub table: Option<Vec<String>>,
}

/// Names of methods that only make or look into a table.
const LOOKS: [&str; 32] = [
    "all",
    "any",
    "asList",
    "asSequence",
    "contains",
    "containsKey",
    "containsValue",
    "Contains",
    "ContainsKey",
    "ContainsValue",
    "copyOf",
    "dict",
    "Dictionary",
    "emptyMap",
    "entries",
    "Entry",
    "entry",
    "freeze",
    "get",
    "has",
    "hashMapOf",
    "includes",
    "items",
    "keys",
    "listOf",
    "mapOf",
    "MappingProxyType",
    "of",
    "ofEntries",
    "Set",
    "to",
    "values",
];

/// The names under which a file is reached that holds nothing but constant tables and looks into them.
fn table(path: &str, module: &Module) -> Option<Vec<String>> {
    let looks = |callee: ExprId| match module.expr(callee) {
        Expr::Name(name) | Expr::Member { name, .. } => {
            LOOKS.contains(&&**name) || name.ends_with("Map") || name.ends_with("Dictionary") || name.ends_with("Set")
        }
        _ => false,
    };
    let holds = module.exprs.iter().all(|node| match &node.kind {
        Expr::Call { callee, .. } => looks(*callee),
        Expr::Await(_) | Expr::Import(_) | Expr::Element(_) | Expr::Template(_) => false,
        _ => true,
    });
    // Settings of the environment are no constants.
    let of_environment = module.exprs.iter().any(
        |node| matches!(&node.kind, Expr::Member { name, .. } if matches!(&**name, "env" | "environ" | "getenv" | "Getenv")),
    );
    let is_map = |node: &engine_syntax::ir::ExprNode| matches!(node.kind, Expr::Map(_) | Expr::Call { .. });
    let plain_imports = module.imports.iter().all(|import| {
        ["java.util", "kotlin", "System", "types", "typing", "collections", "std"]
            .iter()
            .any(|own| import.module.starts_with(own))
    });
    if !holds || of_environment || !plain_imports || !module.exprs.iter().any(is_map) {
        return None;
    }
    let functions = module.functions.iter().filter_map(|function| function.name.as_deref());
    let classes = module.classes.iter().filter_map(|class| class.name.as_deref());
    let fields = module
        .classes
        .iter()
        .flat_map(|class| &class.fields)
        .map(|field| &*field.name);
    let bound = module.body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Assign {
            target: Pattern::Name(name),
            ..
        } => Some(&**name),
        _ => None,
    });
    let handed_out = module.exports.iter().map(|export| &*export.name);
    let stem = crate::project::stem(path);
    let names = functions
        .chain(classes)
        .chain(fields)
        .chain(bound)
        .chain(handed_out)
        .chain([stem]);
    Some(
        names
            .filter(|name| !name.starts_with('<') && !matches!(*name, "default" | "*"))
            .map(str::to_owned)
            .collect(),
    )
}

/// Whether a text stands for a setting of a model service, however its name is written: `${gemini_api_key}`, `${openai.api-key}`.
fn is_placeholder_of_one(text: &str) -> bool {
    let name = text
        .trim()
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'))
        .map(|name| name.split(':').next().unwrap_or(name));
    name.is_some_and(|name| {
        let name: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    c.to_ascii_uppercase()
                } else {
                    '_'
                }
            })
            .collect();
        is_setting_of_a_model_service(&name)
    })
}

/// What stands behind the name of a setting: `${llm.url:https://…}`.
fn default_of(text: &str) -> &str {
    let default = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}')?.split_once(':'));
    default.map_or(text, |(_, default)| default)
}

fn is_listed(listed: &HashSet<ExprId>, at: usize) -> bool {
    u32::try_from(at).is_ok_and(|at| listed.contains(&ExprId(at)))
}

/// What stands directly in lists, and the keys of maps.
fn listed(module: &Module) -> HashSet<ExprId> {
    let mut out = HashSet::new();
    for node in &module.exprs {
        match &node.kind {
            Expr::List(items) => out.extend(items.iter().copied()),
            Expr::Map(entries) => out.extend(entries.iter().filter_map(|entry| entry.key)),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::is_placeholder_of_one;

    #[test]
    fn a_placeholder_names_a_setting_however_it_is_written() {
        for text in [
            "${gemini_api_key}",
            "${openai.api-key}",
            "${OPENAI_API_KEY:none}",
            " ${llm.base-url} ",
        ] {
            assert!(is_placeholder_of_one(text), "{text}");
        }
        for text in [
            "${server.port}",
            "gemini_api_key",
            "${my.openai.api.key}",
            "${openai.slug}",
        ] {
            assert!(!is_placeholder_of_one(text), "{text}");
        }
    }
}
