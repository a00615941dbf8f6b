//! Who offers a model, a host or a package.

use std::collections::HashMap;

use serde::Deserialize;

use crate::Origin;

/// An organisation, project or service that the other tables refer to by id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// The stable id, for instance `azure-openai`.
    pub id: String,
    /// The name for readers, for instance `Azure OpenAI`.
    pub title: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderFile {
    source: String,
    as_of: String,
    provider: Vec<Provider>,
}

#[derive(Debug)]
pub(crate) struct Providers {
    origin: Origin,
    rows: Vec<Provider>,
    by_id: HashMap<String, usize>,
}

impl Providers {
    pub(crate) fn load() -> Self {
        let file: ProviderFile = crate::parse("providers.toml", engine_embed::embed!("../data/providers.toml"));
        let by_id = file
            .provider
            .iter()
            .enumerate()
            .map(|(index, row)| (row.id.clone(), index))
            .collect();
        let origin = Origin {
            file: "providers.toml",
            source: file.source,
            as_of: file.as_of,
        };
        Self {
            origin,
            rows: file.provider,
            by_id,
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    pub(crate) fn rows(&self) -> &[Provider] {
        &self.rows
    }

    pub(crate) fn find(&self, id: &str) -> Option<&Provider> {
        self.by_id.get(id).map(|&index| &self.rows[index])
    }
}
