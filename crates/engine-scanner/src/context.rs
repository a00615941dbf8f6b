//! The lines around a finding, secrets masked.

use std::collections::BTreeMap;

use engine_model::{CodeContext, CodeLine, Finding, SourceFile, SourceText};
use rayon::prelude::*;

use crate::mask::mask_secrets;

/// Lines shown before and after the place.
const AROUND: u32 = 2;

/// Characters shown of one line; a minified file has one line of a megabyte.
const LINE_CHARS_MAX: usize = 240;

/// Adds the lines around each finding. Each file is asked for once.
pub(crate) fn add_context(findings: &mut [Finding], source: &dyn SourceText) {
    let mut by_file: BTreeMap<&str, Vec<(usize, u32)>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        if let (Some(file), Some(line)) = (&finding.file, finding.line) {
            by_file.entry(file).or_default().push((index, line));
        }
    }
    let quoted: Vec<(usize, CodeContext)> = by_file
        .par_iter()
        .flat_map_iter(|(path, places)| quoted(path, places, source))
        .collect();
    for (index, context) in quoted {
        findings[index].code_context = Some(context);
    }
}

/// The lines around places of one file.
fn quoted(path: &str, places: &[(usize, u32)], source: &dyn SourceText) -> Vec<(usize, CodeContext)> {
    // A secrets file is never quoted: what is not a key there may still be a password.
    let is_secrets_file = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with(".env") && !name.contains("example"));
    let file = if is_secrets_file { None } else { source.file(path) };
    let Some(text) = file.as_ref().and_then(SourceFile::text) else {
        return Vec::new();
    };
    // A secret of several lines is known as one only with all of them.
    let text = engine_scan_secrets::mask_lines(&text);
    let lines: Vec<&str> = text.lines().collect();
    places
        .iter()
        .filter_map(|(index, line)| Some((*index, context(&lines, *line)?)))
        .collect()
}

fn context(lines: &[&str], line: u32) -> Option<CodeContext> {
    let count = u32::try_from(lines.len()).ok()?;
    if line == 0 || line > count {
        return None;
    }
    let start = line.saturating_sub(AROUND).max(1);
    let end = line.saturating_add(AROUND).min(count);
    let lines = (start..=end)
        .map(|num| {
            let text = lines[num as usize - 1];
            let cut: String = text.chars().take(LINE_CHARS_MAX).collect();
            CodeLine {
                num,
                content: mask_secrets(cut.trim_end()),
            }
        })
        .collect();
    Some(CodeContext {
        start_line: start,
        lines,
        highlight_line: line,
    })
}
