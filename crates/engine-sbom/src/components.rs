//! Models and data sets as components.

use std::collections::BTreeMap;

use cyclonedx_bom::models::component::{Classification, Component};
use cyclonedx_bom::models::modelcard::{ModelCard, ModelParameters};
use cyclonedx_bom::models::organization::OrganizationalEntity;
use cyclonedx_bom::models::property::Properties;
use engine_model::{Inventory, ModelUse};
use serde_json::{Value, json};

use crate::packages::{evidence, property};

fn reference(model: &ModelUse) -> String {
    format!(
        "model:{}/{}",
        model.provider.as_deref().unwrap_or("unknown"),
        model.name
    )
}

/// Models that are named, and files of weights.
pub(crate) fn models(inventory: &Inventory) -> Vec<Component> {
    let mut grouped: BTreeMap<String, Vec<&ModelUse>> = BTreeMap::new();
    for model in &inventory.models {
        grouped.entry(reference(model)).or_default().push(model);
    }
    let mut out: Vec<Component> = grouped
        .into_iter()
        .map(|(reference, uses)| {
            let first = uses[0];
            let mut component = Component::new(Classification::MachineLearningModel, &first.name, "", Some(reference));
            component.version = None;
            component.supplier = first.provider.as_deref().map(OrganizationalEntity::new);
            let mut properties = Vec::new();
            if let Some(pinned) = first.pinned {
                properties.push(property("pinned", if pinned { "true" } else { "false" }));
            }
            if let Some(date) = &first.retired {
                properties.push(property("retired", date));
            }
            component.properties = (!properties.is_empty()).then_some(Properties(properties));
            component.model_card = Some(card(first.family.as_deref()));
            component.evidence = evidence(uses.iter().flat_map(|model| model.occurrences.iter().cloned()));
            component
        })
        .collect();
    out.extend(crate::model_files::components(inventory));
    out
}

pub(crate) fn card(family: Option<&str>) -> ModelCard {
    ModelCard {
        bom_ref: None,
        model_parameters: family.map(|family| ModelParameters {
            approach: None,
            task: None,
            architecture_family: Some(family.to_owned()),
            model_architecture: None,
            datasets: None,
            inputs: None,
            outputs: None,
        }),
        quantitative_analysis: None,
        considerations: None,
        properties: None,
    }
}

/// Completes the card of a model with what its calls tell about inputs; nothing is said about what was not observed.
pub(crate) fn complete_card(component: &mut Value, inventory: &Inventory) {
    let name = component["name"].as_str().unwrap_or("").to_owned();
    let provider = component["supplier"]["name"].as_str().map(str::to_owned);
    let calls = inventory.calls.iter().filter(|call| {
        call.model.as_deref() == Some(name.as_str()) && (provider.is_none() || call.provider == provider)
    });
    let mut inputs: Vec<&str> = calls
        .flat_map(|call| call.sends.iter())
        .map(|sends| crate::services::sends_name(*sends))
        .collect();
    inputs.sort_unstable();
    inputs.dedup();
    if !component["modelCard"].is_object() {
        component["modelCard"] = json!({});
    }
    if !inputs.is_empty() {
        let properties: Vec<Value> = inputs
            .iter()
            .map(|input| json!({ "name": "engine:input", "value": input }))
            .collect();
        component["modelCard"]["properties"] = Value::from(properties);
    }
}

/// Data sets that are loaded or named.
pub(crate) fn data_sets(inventory: &Inventory) -> Vec<Component> {
    let mut grouped: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for data in &inventory.datasets {
        grouped
            .entry(&data.name)
            .or_default()
            .push(format!("{}:{}", data.file, data.line));
    }
    grouped
        .into_iter()
        .map(|(name, places)| {
            let mut component = Component::new(Classification::Data, name, "", Some(format!("data:{name}")));
            component.version = None;
            component.evidence = evidence(places.into_iter());
            component
        })
        .collect()
}
