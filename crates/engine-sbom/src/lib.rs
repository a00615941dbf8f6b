//! `CycloneDX` 1.5 from an inventory: packages, models, data sets, hosted services and MCP servers.
//!
//! The document is built with `cyclonedx-bom` and completed as JSON where that crate falls short of the standard: it
//! writes the `data` of a component as one object instead of a list, and has no field for the time of a document that
//! is not checked against its own clock format.

mod components;
mod compositions;
mod model_files;
mod packages;
mod services;

use cyclonedx_bom::models::bom::{Bom, SpecVersion, UrnUuid};
use cyclonedx_bom::models::component::{Classification, Component, Components};
use cyclonedx_bom::models::dependency::{Dependencies, Dependency};
use cyclonedx_bom::models::metadata::Metadata;
use cyclonedx_bom::models::service::Services;
use cyclonedx_bom::models::tool::Tools;
use engine_model::Inventory;
use serde_json::{Value, json};

use crate::packages::PackageTable;

/// The project that the document is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its version, where known.
    pub version: Option<String>,
}

/// What the project itself is called inside the document.
const ROOT: &str = "project";

/// Writes the bill of materials. Two calls with the same inventory differ in `serial` and `timestamp` alone.
///
/// `serial` is a UUID with or without `urn:uuid:`, `timestamp` an RFC 3339 time.
pub fn cyclonedx(inventory: &Inventory, subject: &Subject, serial: &str, timestamp: &str) -> Value {
    let table = PackageTable::new(inventory);
    let models = components::models(inventory);
    let data_sets = components::data_sets(inventory);
    let services = services::services(inventory);

    let mut project = Component::new(Classification::Application, &subject.name, "", Some(ROOT.to_owned()));
    project.version = subject.version.as_deref().map(packages::normalized);
    let mut engine = Component::new(
        Classification::Application,
        "local-compliance-engine",
        env!("CARGO_PKG_VERSION"),
        None,
    );
    engine.description = Some(packages::normalized(
        "Read from manifests, lockfiles and code; no package manager was run.",
    ));

    let refs = |components: &[Component]| -> Vec<String> {
        components
            .iter()
            .filter_map(|component| component.bom_ref.clone())
            .collect()
    };
    let mut needed = table.direct();
    needed.extend(refs(&models));
    needed.extend(refs(&data_sets));
    needed.extend(services.iter().filter_map(|service| service.bom_ref.clone()));
    needed.sort();
    needed.dedup();
    let mut dependencies = vec![Dependency {
        dependency_ref: ROOT.to_owned(),
        dependencies: needed,
    }];
    dependencies.extend(table.graph());

    let compositions = compositions::compositions(&table, &models, &data_sets, &services);
    let mut listed = table.components();
    listed.extend(models);
    listed.extend(data_sets);

    let bom = Bom {
        version: 1,
        serial_number: urn(serial),
        metadata: Some(Metadata {
            tools: Some(Tools::Object {
                services: None,
                components: Some(Components(vec![engine])),
            }),
            component: Some(project),
            ..Metadata::default()
        }),
        components: Some(Components(listed)),
        services: (!services.is_empty()).then_some(Services(services)),
        external_references: None,
        dependencies: Some(Dependencies(dependencies)),
        compositions: Some(compositions),
        properties: None,
        vulnerabilities: None,
        signature: None,
        annotations: None,
        formulation: None,
        spec_version: SpecVersion::V1_5,
    };
    let mut bytes = Vec::new();
    let mut document = match bom.output_as_json_v1_5(&mut bytes) {
        Ok(()) => serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        Err(_) => Value::Null,
    };
    if !document.is_object() {
        // The writer only fails on a writer that fails, and a vector does not; an empty document is still a valid one.
        document = json!({ "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1 });
    }
    complete(&mut document, inventory, timestamp);
    document
}

fn urn(serial: &str) -> Option<UrnUuid> {
    let text = if serial.starts_with("urn:uuid:") {
        serial.to_owned()
    } else {
        format!("urn:uuid:{serial}")
    };
    UrnUuid::new(text).ok()
}

/// Adds what `cyclonedx-bom` cannot write.
fn complete(document: &mut Value, inventory: &Inventory, timestamp: &str) {
    document["metadata"]["timestamp"] = Value::from(timestamp);
    let Some(listed) = document.get_mut("components").and_then(Value::as_array_mut) else {
        return;
    };
    for component in listed {
        if component["type"] == "data" {
            let name = component["name"].clone();
            component["data"] = json!([{ "type": "dataset", "name": name }]);
        }
        if component["type"] == "machine-learning-model" {
            components::complete_card(component, inventory);
        }
    }
}

#[cfg(test)]
mod tests;
