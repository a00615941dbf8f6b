//! The model calls that a finding names, and where they stand in a file.

use std::collections::BTreeMap;

use engine_model::{Call, EvidenceKind, Language, Zone};
use engine_syntax::tree::Node;

use super::source::{callee, method};
use crate::code::Code;
use crate::{NoFix, Site};

/// A model call that a finding names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
    /// The resolved path of what is called.
    pub(super) symbol: String,
    /// Whether it is the place of the finding itself.
    pub(super) is_first: bool,
}

/// The calls of a finding by file, and the places that no strategy for Python can change.
pub(super) struct Places {
    pub(super) by_file: BTreeMap<String, Vec<Place>>,
    pub(super) others: Vec<String>,
}

/// The calls of a finding: its own place, and those that it names as evidence.
///
/// # Errors
///
/// Where the inventory has no call at the place of the finding.
pub(super) fn of(site: &Site<'_>) -> Result<Places, NoFix> {
    let first = site.call().ok_or(NoFix::NoPlace)?;
    let mut out = Places {
        by_file: BTreeMap::new(),
        others: Vec::new(),
    };
    out.add(first, true);
    for evidence in &site.finding.evidence {
        let (Some(file), Some(line)) = (evidence.file.as_deref(), evidence.line) else {
            continue;
        };
        if evidence.kind != EvidenceKind::Code {
            continue;
        }
        let calls = site.inventory.calls.iter();
        for call in calls.filter(|call| call.file == file && call.line == line && call.symbol == evidence.reference) {
            out.add(call, false);
        }
    }
    Ok(out)
}

impl Places {
    fn add(&mut self, call: &Call, is_first: bool) {
        if Language::of_path(&call.file) != Language::Python || call.cell.is_some() {
            self.leave(&call.file, call.line);
            return;
        }
        let places = self.by_file.entry(call.file.clone()).or_default();
        if places
            .iter()
            .any(|place| place.line == call.line && place.column == call.column)
        {
            return;
        }
        places.push(Place {
            line: call.line,
            column: call.column,
            symbol: call.symbol.clone(),
            is_first,
        });
        places.sort();
    }

    /// Notes a place that stays as it is.
    pub(super) fn leave(&mut self, file: &str, line: u32) {
        let place = format!("`{file}:{line}`");
        if !self.others.contains(&place) {
            self.others.push(place);
        }
    }

    /// The places that stay as they are, in words.
    pub(super) fn left(&self) -> Option<String> {
        const NAMED_MAX: usize = 5;
        let named: Vec<&str> = self.others.iter().take(NAMED_MAX).map(String::as_str).collect();
        let more = self.others.len().saturating_sub(NAMED_MAX);
        match (named.is_empty(), more) {
            (true, _) => None,
            (false, 0) => Some(named.join(", ")),
            (false, more) => Some(format!("{} and {more} more", named.join(", "))),
        }
    }
}

/// Whether files of a zone are edited.
pub(super) fn is_edited(zone: Zone) -> bool {
    matches!(zone, Zone::Product | Zone::Docs)
}

impl Place {
    /// The smallest node at the place.
    pub(super) fn node<'c>(&self, code: &'c Code) -> Result<Node<'c>, NoFix> {
        code.node_at(self.line, self.column).ok_or(NoFix::Unparsed)
    }

    /// The last name of what is called.
    pub(super) fn method(&self) -> &str {
        let last = self.symbol.rsplit('.').next().unwrap_or("");
        last.trim_end_matches(['(', ')', '[', ']'])
    }

    /// The library.
    pub(super) fn library(&self) -> &str {
        self.symbol.split('.').next().unwrap_or("")
    }

    /// The call itself, told by its last name.
    pub(super) fn call<'c>(&self, code: &'c Code) -> Option<Node<'c>> {
        let node = self.node(code).ok()?;
        let start = node.start_byte();
        let mut at = Some(node);
        while let Some(node) = at {
            if node.start_byte() != start {
                break;
            }
            if node.kind() == "call" && (method(code, node) == self.method() || callee(code, node) == self.symbol) {
                return Some(node);
            }
            at = node.parent();
        }
        None
    }

    /// Whether the call gives something that must be awaited.
    pub(super) fn is_awaited(&self) -> bool {
        const VERBS: [&str; 18] = [
            "create",
            "invoke",
            "completion",
            "completions",
            "generate",
            "run",
            "predict",
            "call",
            "chat",
            "complete",
            "stream",
            "batch",
            "responses",
            "embedding",
            "query",
            "ask",
            "embed_query",
            "embed_documents",
        ];
        let by_name = self
            .method()
            .strip_prefix('a')
            .is_some_and(|verb| VERBS.contains(&verb))
            || self.method().ends_with("_async");
        by_name
            || self.library() == "aiohttp"
            || self
                .symbol
                .split('.')
                .any(|part| part == "aio" || part.contains("Async"))
    }

    /// Whether the call gives its output bit by bit, and fails while it is read.
    pub(super) fn is_lazy(&self) -> bool {
        self.method().contains("stream")
    }
}
