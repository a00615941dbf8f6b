//! Systems as the owner draws them: named, merged, split or left out. The scan proposes, the profile decides.

use std::collections::{BTreeMap, BTreeSet};

use engine_profile::Profile;
use engine_scan_code::CodeJoin;

use crate::ask::is_reserved;
use crate::systems::{Grouping, SystemDraft, draft_of, reached_by};

/// What the owner's drawing made of the proposed systems.
pub(crate) struct Drawn {
    pub(crate) grouping: Grouping,
    /// The first call of each system that the owner did not declare, where they declared systems at all.
    pub(crate) undeclared: Vec<usize>,
}

/// Applies the drawing of the profile to the systems that the scan proposes.
pub(crate) fn draw(mut grouping: Grouping, code: &CodeJoin, profile: &Profile) -> Drawn {
    let declared: Vec<(&str, &[String])> = profile
        .systems
        .iter()
        .filter_map(|(id, system)| Some((id.as_str(), system.drawing.as_ref()?.paths.as_slice())))
        .collect();
    for draft in &mut grouping.drafts {
        // A system called `all` must not take the answers that hold for every system.
        if is_reserved(&draft.id) {
            draft.id.push_str("-system");
        }
    }
    if declared.is_empty() && profile.left_out.is_empty() {
        return Drawn {
            grouping,
            undeclared: Vec::new(),
        };
    }
    let left_out = |file: &str| profile.left_out.iter().any(|left| below(file, &left.path));
    let owner = |file: &str| {
        declared
            .iter()
            .flat_map(|(id, paths)| paths.iter().map(move |path| (path.len(), *id, path)))
            .filter(|(_, _, path)| below(file, path))
            // The longest path decides; of two equal ones the first system in the order of their names.
            .max_by_key(|(length, id, _)| (*length, std::cmp::Reverse(*id)))
            .map(|(_, id, _)| id)
    };
    let reached = reached_by(code);
    let mut own: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut drafts = Vec::new();
    let mut taken: BTreeSet<String> = declared.iter().map(|(id, _)| (*id).to_owned()).collect();
    for draft in grouping.drafts {
        let mut rest = Vec::new();
        for call in &draft.calls {
            let file = code.calls[*call].file.as_str();
            if left_out(file) {
                continue;
            }
            match owner(file) {
                Some(id) => own.entry(id).or_default().push(*call),
                None => rest.push(*call),
            }
        }
        if rest.len() == draft.calls.len() && taken.insert(draft.id.clone()) {
            drafts.push(draft);
        } else if !rest.is_empty() {
            drafts.push(draft_of(&draft.name, &draft.scope, rest, code, &reached, &mut taken));
        }
    }
    let undeclared = if declared.is_empty() {
        Vec::new()
    } else {
        drafts
            .iter()
            .filter(|draft| !profile.systems.contains_key(&draft.id))
            .filter_map(|draft| draft.calls.first().copied())
            .collect()
    };
    for (id, mut calls) in own {
        calls.sort_unstable();
        calls.dedup();
        let paths = declared
            .iter()
            .find(|(own, _)| *own == id)
            .map_or(&[][..], |(_, paths)| *paths);
        let scope = if let [only] = paths {
            only.clone()
        } else {
            shared_folder(paths)
        };
        let mut fresh = BTreeSet::new();
        let made = draft_of(id, &scope, calls, code, &reached, &mut fresh);
        drafts.push(SystemDraft {
            id: id.to_owned(),
            ..made
        });
    }
    grouping.uses.retain(|call| !left_out(&code.calls[*call].file));
    grouping.drafts = drafts;
    Drawn { grouping, undeclared }
}

/// Whether a file is a path or lies below it; the empty path holds everything.
fn below(file: &str, path: &str) -> bool {
    path.is_empty()
        || file
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The longest folder above several paths.
fn shared_folder(paths: &[String]) -> String {
    let Some((first, rest)) = paths.split_first() else {
        return String::new();
    };
    let mut parts: Vec<&str> = first.split('/').collect();
    for path in rest {
        let same = parts.iter().zip(path.split('/')).take_while(|(a, b)| *a == b).count();
        parts.truncate(same);
    }
    parts.join("/")
}
