//! The fields of forms in pages of a project: what a handler gets that takes a form as a whole.

use std::collections::BTreeSet;

use engine_model::{FileInfo, SourceText, StepRole, StructureStep, Zone};
use engine_syntax::ir::Expr;

use super::Hit;
use super::areas::{WORDS, flat};
use super::call_inputs::{Item, What};
use crate::world::World;

/// Pages that are read for one project.
const PAGES_MAX: usize = 40;

/// Fields that are kept of one page.
const FIELDS_MAX: usize = 200;

/// The pages of a project, read when a handler takes a whole form.
pub(crate) struct Pages<'a> {
    pub(crate) files: &'a [(&'a FileInfo, &'a crate::CodeFacts)],
    pub(crate) source: &'a dyn SourceText,
    pub(crate) texts: &'a crate::modules::Texts<'a>,
}

/// The areas of the forms that a handler takes as a whole: the fields stand in the pages that its file shows.
pub(super) fn hits(world: &World<'_>, pages: &Pages<'_>, items: &[Item], known: &[Hit]) -> Vec<Hit> {
    let units: BTreeSet<u32> = items
        .iter()
        .filter(|item| item.what == What::WholeForm)
        .map(|item| item.at.0)
        .collect();
    let mut out = Vec::new();
    for unit in units {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for node in &world.module(unit).exprs {
            if let Expr::Str(text) = &node.kind
                && text.ends_with(".html")
                && text.len() <= 120
            {
                names.insert(text);
            }
        }
        let folder = crate::project::folder(world.unit(unit).path);
        let shown = pages.files.iter().map(|(info, _)| info).filter(|info| {
            info.zone == Zone::Product
                && info.path.starts_with(folder)
                && names.iter().any(|name| {
                    info.path
                        .strip_suffix(*name)
                        .is_some_and(|head| head.is_empty() || head.ends_with('/'))
                })
        });
        for info in shown.take(PAGES_MAX) {
            let Some(file) = pages.source.file(&info.path) else {
                continue;
            };
            let Some(text) = file.text() else { continue };
            let fields = fields(&text);
            let flat_names: BTreeSet<String> = fields.iter().map(|(name, _)| flat(name)).collect();
            for area in WORDS.areas() {
                if !area.is_record("", &flat_names) || known.iter().chain(&out).any(|hit| hit.area == area.id) {
                    continue;
                }
                let step = |role: StepRole, reference: &str, line: u32| StructureStep {
                    role,
                    reference: reference.to_owned(),
                    file: info.path.clone(),
                    line,
                };
                let inputs: Vec<StructureStep> = fields
                    .iter()
                    .filter(|(name, _)| area.fits(&flat(name)))
                    .take(super::INPUTS_MAX)
                    .map(|(name, line)| step(StepRole::Input, name, *line))
                    .collect();
                let line = inputs.first().map_or(1, |first| first.line);
                out.push(Hit {
                    area: area.id,
                    record: step(StepRole::Record, "form", line),
                    inputs,
                    fields: flat_names.clone(),
                });
            }
        }
    }
    out
}

/// The names of the fields of the forms of a page, each with its line.
fn fields(text: &str) -> Vec<(String, u32)> {
    let mut out = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        let lower = line.to_ascii_lowercase();
        open |= ["<input", "<select", "<textarea"].iter().any(|tag| lower.contains(tag));
        if open {
            let mut rest = line;
            while let Some(place) = rest.find("name=") {
                // `class-name=` and the like are other attributes.
                let other = rest[..place].ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
                rest = &rest[place + "name=".len()..];
                let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                    continue;
                };
                let Some(name) = rest[1..].split(quote).next() else {
                    break;
                };
                if !other && name.len() <= 60 && out.len() < FIELDS_MAX {
                    out.push((name.to_owned(), u32::try_from(at + 1).unwrap_or(u32::MAX)));
                }
            }
        }
        if lower.contains('>') {
            open = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn fields_of_forms_are_read_with_their_lines() {
        let page =
            "<meta name=\"viewport\">\n<input type=\"text\"\n  name=\"LoanAmount\">\n<select name='Credit_History'>";
        assert_eq!(
            fields(page),
            [("LoanAmount".to_owned(), 3), ("Credit_History".to_owned(), 4)]
        );
    }
}
