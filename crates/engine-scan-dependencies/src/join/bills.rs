//! Bills of materials that are not in the tree: what they set is not seen, and that they fix it is.
//!
//! A dependency without a version is one that such a bill speaks of, else no build would resolve it.

use std::collections::HashMap;

use engine_model::Ecosystem;

use super::{File, parents, poms, upwards};
use crate::facts::Include;
use crate::format::Format;
use crate::formats::resolve_properties;
use crate::package::{SET_BY, exact};

/// Names the bill that fixes the version of each package that states none.
pub(super) fn name(files: &mut [File<'_>]) {
    let modules = poms(files);
    let mut builds: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, file) in files.iter().enumerate() {
        if file.format == Format::GradleBuild {
            builds.entry(file.folder).or_default().push(index);
        }
    }
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let open = |at: &usize| {
            let package = &file.packages[*at];
            package.ecosystem == Ecosystem::Maven && package.version.is_none() && package.requirement.is_none()
        };
        let open: Vec<usize> = (0..file.packages.len()).filter(open).collect();
        if open.is_empty() {
            continue;
        }
        // A build further up may set the versions of all that lie below it and name no bill of their own.
        let sources: Vec<usize> = match file.format {
            Format::Pom => std::iter::once(index).chain(parents(files, &modules, index)).collect(),
            Format::GradleBuild if !file.facts.includes.is_empty() => vec![index],
            Format::GradleBuild => upwards(file.folder)
                .filter_map(|folder| builds.get(folder))
                .flatten()
                .copied()
                .collect(),
            _ => continue,
        };
        let mut properties: HashMap<&str, &str> = HashMap::new();
        for (name, value) in sources.iter().flat_map(|source| &files[*source].facts.properties) {
            properties.entry(name).or_insert(value);
        }
        let look_up = |name: &str| properties.get(name).map(|value| (*value).to_owned());
        let bills: Vec<(&str, String)> = sources
            .iter()
            .flat_map(|source| &files[*source].facts.includes)
            .filter_map(|include: &Include| {
                let version = resolve_properties(include.version.as_deref()?, &look_up);
                exact(Ecosystem::Maven, &version)?;
                Some((include.path.as_str(), version))
            })
            .collect();
        for at in open {
            let group = group(&file.packages[at].name);
            // One of several is named only where it speaks of the group; a single one speaks of all that is open.
            let alone = match bills.as_slice() {
                [only] => Some(only),
                _ => None,
            };
            let bill = bills.iter().find(|(bill, _)| self::group(bill) == group).or(alone);
            if let Some((bill, version)) = bill {
                found.push((index, at, format!("{SET_BY}{bill} {version}")));
            }
        }
    }
    for (index, at, requirement) in found {
        files[index].packages[at].requirement = Some(requirement);
    }
}

fn group(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}
