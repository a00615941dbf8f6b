//! Edits of a file: ranges of its bytes and what takes their place.

use std::collections::BTreeMap;

use thiserror::Error;

/// One edit: the bytes from `start` to `end` are replaced. Where both are equal, text is inserted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The first byte that is replaced.
    pub start: usize,
    /// The byte after the last one that is replaced.
    pub end: usize,
    /// What takes their place.
    pub text: String,
}

/// The file is not the one that the edits were made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the file has changed since the fix was planned")]
pub struct StaleFile;

/// Two edits want the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("two fixes change the same lines")]
pub struct Overlap;

/// The bytes with all edits made. The edits must be sorted and must not overlap.
pub(crate) fn edited(bytes: &[u8], edits: &[Edit]) -> Result<Vec<u8>, StaleFile> {
    let mut out = Vec::with_capacity(bytes.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut done = 0;
    for edit in edits {
        out.extend_from_slice(bytes.get(done..edit.start).ok_or(StaleFile)?);
        out.extend_from_slice(edit.text.as_bytes());
        bytes.get(edit.start..edit.end).ok_or(StaleFile)?;
        done = edit.end;
    }
    out.extend_from_slice(bytes.get(done..).ok_or(StaleFile)?);
    Ok(out)
}

/// The edits that turn the edited file into the file as it was, with the bytes that come back.
pub(crate) fn inverse(edits: &[Edit], removed: &[Vec<u8>]) -> Vec<(usize, usize, Vec<u8>)> {
    let mut shift = 0_isize;
    edits
        .iter()
        .zip(removed)
        .map(|(edit, removed)| {
            let start = edit.start.saturating_add_signed(shift);
            shift += edit.text.len().cast_signed() - (edit.end - edit.start).cast_signed();
            (start, start + edit.text.len(), removed.clone())
        })
        .collect()
}

/// The edits of several plans for one file as one list. Equal insertions at the same place, such as the same import, are made once.
///
/// # Errors
///
/// Where two edits want the same bytes.
pub fn merged<'a>(plans: impl IntoIterator<Item = &'a [Edit]>) -> Result<Vec<Edit>, Overlap> {
    let mut by_place: BTreeMap<(usize, usize), Vec<&'a Edit>> = BTreeMap::new();
    for edits in plans {
        for edit in edits {
            let there = by_place.entry((edit.start, edit.end)).or_default();
            if !there.iter().any(|known| known.text == edit.text) {
                there.push(edit);
            }
        }
    }
    let mut out: Vec<Edit> = Vec::new();
    for ((start, end), edits) in by_place {
        if start < end && edits.len() > 1 {
            return Err(Overlap);
        }
        for edit in edits {
            if out
                .last()
                .is_some_and(|last| last.end > start || (last.end > last.start && last.start == start))
            {
                return Err(Overlap);
            }
            out.push(Edit {
                start,
                end,
                text: edit.text.clone(),
            });
        }
    }
    Ok(out)
}
