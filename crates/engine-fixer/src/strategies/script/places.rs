//! All the calls of a finding, each fixed at its own place.

use engine_model::{Call, EvidenceKind};

use super::source::is_script;
use crate::code::Code;
use crate::{Draft, NoFix, Site};

/// Files that one fix changes at most; further places are left to a person.
const FILES_MAX: usize = 12;

/// Places that are named in a manual step.
const NAMED_MAX: usize = 5;

/// Fixes the call of the finding, and the other calls that the finding counts.
///
/// The finding is gone only if its own call is fixed, with those that the scanner cannot tell from it. Other calls that cannot be fixed
/// become a manual step.
pub(super) fn fix_each(
    site: &Site<'_>,
    draft: &mut Draft,
    is_open: impl Fn(&Call) -> bool,
    fix: impl Fn(&Call, &Code, &mut Draft) -> Result<(), NoFix>,
) -> Result<(), NoFix> {
    let first = site
        .call()
        .ok_or_else(|| NoFix::here("the model call was not found at the place of the finding"))?;
    let mut calls = vec![first];
    for evidence in &site.finding.evidence {
        let same = |call: &&Call| {
            evidence.kind == EvidenceKind::Code
                && evidence.file.as_ref() == Some(&call.file)
                && evidence.line == Some(call.line)
                && evidence.reference == call.symbol
                && is_open(call)
        };
        for call in site.inventory.calls.iter().filter(same) {
            let known = |other: &&Call| (&other.file, other.line, other.column) == (&call.file, call.line, call.column);
            if !calls.iter().any(known) {
                calls.push(call);
            }
        }
    }
    let mut left = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let before = draft.clone();
        let fixed = place(site, call).and_then(|code| {
            fix(call, &code, draft)?;
            if draft.edits.len() > FILES_MAX || overlaps(draft, &call.file) {
                return Err(NoFix::here("the edits of this call meet those of another one"));
            }
            Ok(())
        });
        let Err(why) = fixed else { continue };
        *draft = before;
        let alike = (&call.file, &call.function, &call.symbol) == (&first.file, &first.function, &first.symbol);
        if index == 0 || alike {
            return Err(why);
        }
        left.push(format!("`{}:{}`", call.file, call.line));
    }
    if !left.is_empty() {
        let more = left.len().saturating_sub(NAMED_MAX);
        left.truncate(NAMED_MAX);
        let and_more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        draft.manual(format!("Do the same by hand at {}{and_more}.", left.join(", ")));
    }
    Ok(())
}

fn place(site: &Site<'_>, call: &Call) -> Result<std::rc::Rc<Code>, NoFix> {
    let code = site.code(&call.file)?;
    if call.cell.is_some() || !is_script(code.language) {
        return Err(NoFix::Language(code.language.name()));
    }
    Ok(code)
}

/// Whether two edits of a file want the same bytes.
fn overlaps(draft: &Draft, path: &str) -> bool {
    let mut edits = draft.edits.get(path).cloned().unwrap_or_default();
    edits.sort();
    edits.dedup();
    edits.windows(2).any(|pair| match pair {
        [a, b] => a.end > b.start || a.start == b.start && a.end != b.end,
        _ => false,
    })
}
