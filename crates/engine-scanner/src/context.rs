//! The lines around a finding, secrets masked.

use std::collections::BTreeMap;

use engine_model::{CodeContext, CodeLine, Finding, SourceText};

use crate::mask::mask_secrets;

/// Lines shown before and after the place.
const AROUND: u32 = 2;

/// Characters shown of one line; a minified file has one line of a megabyte.
const LINE_CHARS_MAX: usize = 240;

/// Adds the lines around each finding. Each file is asked for once.
pub(crate) fn add_context(findings: &mut [Finding], source: &dyn SourceText) {
    let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        if let (Some(file), Some(_)) = (&finding.file, finding.line) {
            by_file.entry(file.clone()).or_default().push(index);
        }
    }
    for (path, indexes) in by_file {
        // A secrets file is never quoted: what is not a key there may still be a password.
        if path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.starts_with(".env") && !name.contains("example"))
        {
            continue;
        }
        let Some(file) = source.file(&path) else { continue };
        let Some(text) = file.text() else { continue };
        // A secret of several lines is known as one only with all of them.
        let text = engine_scan_secrets::mask_lines(&text);
        let lines: Vec<&str> = text.lines().collect();
        for index in indexes {
            let Some(line) = findings[index].line else { continue };
            findings[index].code_context = context(&lines, line);
        }
    }
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
