//! Takes secrets out of what was read from code before anything is derived from it: somebody has written a key where a
//! model is named, in the address of a package, in a heading.
//!
//! Only what the rules know for a secret goes; the wider net of [`crate::mask_secrets`] would take versions and digests for
//! keys as well.

use std::borrow::Cow;

use engine_model::{Artefact, Document, Inventory, Observation, Package};
use engine_scan_code::CodeJoin;
use engine_scan_secrets::mask;

/// A shorter text holds no secret that the rules know.
const SECRET_BYTES_MIN: usize = 12;

fn text(text: &mut String) {
    if text.len() >= SECRET_BYTES_MIN {
        let masked = match mask(text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => return,
        };
        *text = masked;
    }
}

fn maybe(value: &mut Option<String>) {
    if let Some(value) = value {
        text(value);
    }
}

/// Whether a text is one that the rules know for a secret, or holds one.
fn holds_secret(text: &str) -> bool {
    text.len() >= SECRET_BYTES_MIN && matches!(mask(text), Cow::Owned(_))
}

/// A key that stands in the place of a model's name is no name of a model.
fn name(value: &mut Option<String>) {
    if value.as_deref().is_some_and(holds_secret) {
        *value = None;
    }
}

/// What the code says.
pub(crate) fn code(code: &mut CodeJoin) {
    for call in &mut code.calls {
        name(&mut call.model);
        maybe(&mut call.host);
        maybe(&mut call.function);
        text(&mut call.symbol);
        call.tools.iter_mut().for_each(text);
    }
    code.models.retain(|model| !holds_secret(&model.name));
    for agent in &mut code.agents {
        text(&mut agent.name);
        name(&mut agent.model);
        agent.tools.iter_mut().for_each(text);
    }
}

/// What manifests and lockfiles name; done before it is remembered.
pub(crate) fn packages(packages: &mut [Package]) {
    for package in packages {
        maybe(&mut package.version);
        maybe(&mut package.requirement);
        text(&mut package.purl);
        package
            .dependencies
            .iter_mut()
            .for_each(|dependency| maybe(&mut dependency.version));
    }
}

/// What the project uses beside its packages.
pub(crate) fn inventory(inventory: &mut Inventory) {
    inventory.models.retain(|model| !holds_secret(&model.name));
    inventory.datasets.iter_mut().for_each(|data| text(&mut data.name));
    inventory
        .services
        .iter_mut()
        .for_each(|service| maybe(&mut service.host));
    inventory.prompts.iter_mut().for_each(|prompt| text(&mut prompt.name));
    for server in &mut inventory.mcp_servers {
        text(&mut server.name);
        maybe(&mut server.target);
    }
}

/// What documents and other files say.
pub(crate) fn papers(documents: &mut [Document], artefacts: &mut [Artefact]) {
    for section in documents.iter_mut().flat_map(|document| &mut document.sections) {
        maybe(&mut section.heading);
    }
    for artefact in artefacts {
        text(&mut artefact.because);
    }
}

/// What a check says about it.
pub(crate) fn observation(observation: &mut Observation) {
    text(&mut observation.message);
    maybe(&mut observation.fix);
    observation
        .evidence
        .iter_mut()
        .for_each(|evidence| text(&mut evidence.reference));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_masked_and_a_model_a_digest_and_an_address_are_not() {
        let after = |given: &str| {
            let mut given = given.to_owned();
            text(&mut given);
            given
        };
        let key = engine_scan_secrets::expand_examples("{{anthropic_key}}");
        assert!(!after(&key).contains(&key[..20]));
        for plain in [
            "claude-3-5-sonnet-20241022",
            "ft:gpt-4o-mini-2024-07-18:acme::9sD8fk2L",
            "git+https://github.com/a/b.git@3f786850e387550fdab836ed7e6dc881de23001b",
            "pkg:npm/%40scope/name@1.2.3",
        ] {
            assert_eq!(after(plain), plain);
        }
    }
}
