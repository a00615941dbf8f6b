//! What the document knows to be complete, and what it does not.

use cyclonedx_bom::models::bom::BomReference;
use cyclonedx_bom::models::component::Component;
use cyclonedx_bom::models::composition::{AggregateType, Composition, Compositions};
use cyclonedx_bom::models::service::Service;

use crate::ROOT;
use crate::packages::PackageTable;

pub(crate) fn compositions(
    table: &PackageTable<'_>,
    models: &[Component],
    data_sets: &[Component],
    services: &[Service],
) -> Compositions {
    let (known, unknown, loose) = table.knowledge();
    // Code can always reach more than was observed, so the whole is never called complete.
    let mut list = vec![entry(
        if table.has_loose_ends() {
            AggregateType::Incomplete
        } else {
            AggregateType::Unknown
        },
        Some(vec![ROOT.to_owned()]),
        None,
    )];
    if !known.is_empty() {
        list.push(entry(AggregateType::Complete, None, Some(known)));
    }
    if !unknown.is_empty() {
        list.push(entry(AggregateType::Unknown, None, Some(unknown)));
    }
    if !loose.is_empty() {
        list.push(entry(AggregateType::Incomplete, None, Some(loose)));
    }
    let opaque: Vec<String> = models
        .iter()
        .chain(data_sets)
        .filter_map(|component| component.bom_ref.clone())
        .chain(services.iter().filter_map(|service| service.bom_ref.clone()))
        .collect();
    if !opaque.is_empty() {
        list.push(entry(AggregateType::Unknown, Some(opaque), None));
    }
    Compositions(list)
}

fn entry(aggregate: AggregateType, assemblies: Option<Vec<String>>, dependencies: Option<Vec<String>>) -> Composition {
    let references = |list: Vec<String>| list.into_iter().map(BomReference).collect();
    Composition {
        bom_ref: None,
        aggregate,
        assemblies: assemblies.map(references),
        dependencies: dependencies.map(references),
        vulnerabilities: None,
        signature: None,
    }
}
