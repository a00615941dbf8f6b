//! The list of all checks, in the order of the layers.

use engine_model::Check;

/// All checks of the layers L1 to L4, and those that need their join or hold one layer against another.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    crate::missing::CHECKS
        .iter()
        .chain(crate::answers::CHECKS)
        .chain(engine_scan_files::CHECKS)
        .chain(engine_scan_documents::CHECKS)
        .chain(engine_scan_dependencies::CHECKS)
        .chain(engine_scan_models::CHECKS)
        .chain(engine_scan_secrets::CHECKS)
        .chain(engine_scan_code::CHECKS)
        .chain(engine_scan_cross::CHECKS)
}

/// The check with an id, which may be one that it had earlier.
pub fn check(id: &str) -> Option<&'static Check> {
    checks().find(|check| check.is_named(id))
}

/// Whether a name, which may be an earlier id, is that of the check that reported a finding.
pub fn is_check(named: &str, check_id: &str) -> bool {
    named == check_id || check(named).is_some_and(|check| check.id == check_id)
}
