//! Files of models as components: what the file states about itself, and nothing beyond it.

use cyclonedx_bom::models::component::{Classification, Component};
use cyclonedx_bom::models::hash::{Hash, HashAlgorithm, HashValue, Hashes};
use cyclonedx_bom::models::license::{License, LicenseChoice, Licenses};
use cyclonedx_bom::models::property::Properties;
use engine_model::{Inventory, ModelFile, ModelImportKind, ModelReading};

use crate::components::card;
use crate::packages::{evidence, normalized, property};

/// Imports of a file that are listed as properties.
const IMPORTS_MAX: usize = 50;

/// The format of configurations that name callables, which are no models.
const CONFIGURATION: &str = "loader-config";

/// One component for each model file, in the order of their paths.
pub(crate) fn components(inventory: &Inventory) -> Vec<Component> {
    let models = inventory.model_files.iter();
    let mut files: Vec<&ModelFile> = models.filter(|file| file.format != CONFIGURATION).collect();
    files.sort_by(|a, b| a.file.cmp(&b.file));
    files.dedup_by(|a, b| a.file == b.file);
    files.into_iter().map(component).collect()
}

fn component(file: &ModelFile) -> Component {
    let name = file.file.rsplit('/').next().unwrap_or(&file.file);
    let reference = format!("model-file:{}", file.file);
    let mut component = Component::new(Classification::MachineLearningModel, name, "", Some(reference));
    component.version = None;
    if let Some(digest) = &file.digest {
        component.hashes = Some(Hashes(vec![Hash {
            alg: HashAlgorithm::BLAKE3,
            content: HashValue(digest.clone()),
        }]));
    }
    if let Some(license) = &file.license {
        component.licenses = Some(Licenses(vec![LicenseChoice::License(License::named_license(license))]));
    }
    if let Some(name) = &file.name {
        component.description = Some(normalized(name));
    }
    let mut properties = vec![
        property("bytes", &file.bytes.to_string()),
        property("format", &file.format),
    ];
    let stated = [
        ("format-version", &file.version),
        ("framework", &file.framework),
        ("quantization", &file.quantization),
    ];
    properties.extend(
        stated
            .iter()
            .filter_map(|(key, value)| Some(property(key, value.as_deref()?))),
    );
    let counted = [("parameters", file.parameters), ("tensors", file.tensors)];
    properties.extend(
        counted
            .iter()
            .filter_map(|(key, value)| Some(property(key, &(*value)?.to_string()))),
    );
    if file.read == ModelReading::Part {
        properties.push(property("read", "part"));
    }
    let imports = file
        .imports
        .iter()
        .filter(|import| import.kind != ModelImportKind::Known);
    properties.extend(imports.take(IMPORTS_MAX).map(|import| property("import", &import.name)));
    properties.extend(file.external.iter().map(|path| property("external-data", path)));
    component.properties = Some(Properties(properties));
    component.model_card = Some(card(file.architecture.as_deref()));
    component.evidence = evidence(std::iter::once(file.file.clone()));
    component
}
