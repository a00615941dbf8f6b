//! What parsed code names of a model service, for projects in which no call of one was resolved: its address, or the setting that
//! holds its key. That no AI was found cannot be said of them.

use std::collections::HashSet;

use engine_catalogue::{catalogue, is_setting_of_a_model_service};
use engine_model::{FileInfo, SourceText, Zone};
use engine_syntax::ir::{Expr, ExprId, Module};

use crate::CodeFacts;
use crate::read::Unread;

/// Whether a file may name a model service at all, as its facts tell.
pub fn may_name_a_service(info: &FileInfo, facts: &CodeFacts) -> bool {
    // Addresses hold a dot and the names of settings go on behind an underscore; other words bring no file here.
    let telling = |literal: &String| literal.ends_with('_') || literal.contains('.');
    facts.parsed && info.zone == Zone::Product && facts.mentions.iter().any(telling)
}

/// The first place of a file that names a model service outside lists and keys of maps: a list of names says nothing of what
/// is asked.
pub fn named_service(info: &FileInfo, source: &dyn SourceText) -> Option<Unread> {
    let file = source.file(&info.path)?;
    let text = file.text()?;
    let module = crate::lower(&info.path, crate::language_of(&info.path, info.language), &text)?;
    let listed = listed(&module);
    let named = module.exprs.iter().enumerate().filter_map(|(at, node)| {
        let what = match &node.kind {
            Expr::Str(text) if !is_listed(&listed, at) => catalogue()
                .host_of_a_model_service(default_of(text.trim()))
                .or_else(|| is_setting_of_a_model_service(text).then_some(text))
                .or_else(|| is_placeholder_of_one(text).then_some(text)),
            Expr::Member { name, .. } => is_setting_of_a_model_service(name).then_some(name.as_str()),
            _ => None,
        }?;
        Some((node.span().line, what))
    });
    named.min().map(|(line, what)| Unread {
        line,
        what: what.to_owned(),
    })
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
