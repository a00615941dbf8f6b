//! One detector for each family of artefacts.

mod cards;
mod delivery;
mod disclosure;
mod logs;
mod manifests;
mod people;
mod prompts;
mod secrets;

use crate::read::Candidate;
use crate::view::View;

pub(crate) use cards::{TEMPLATE, THRESHOLD};
pub use manifests::BROWSER_EXTENSION;

/// Looks at a file and adds what it could be.
pub(crate) type Detector = fn(&View<'_>, &mut Vec<Candidate>);

/// All detectors; their order does not matter, since candidates are sorted.
pub(crate) const DETECTORS: &[Detector] = &[
    cards::detect,
    delivery::detect,
    disclosure::detect,
    logs::detect,
    manifests::detect,
    people::detect,
    prompts::detect,
    secrets::detect,
];
