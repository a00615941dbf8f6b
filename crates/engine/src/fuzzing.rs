//! The readers of files that people write, for programs that try them on bytes of any kind.

use engine_model::Failure;

/// Reads suppressions; says how many rules and refused entries there are.
///
/// # Errors
///
/// Why the file is refused as a whole.
pub fn suppressions(bytes: &[u8]) -> Result<(usize, usize), Failure> {
    let read = crate::suppressions::parse(bytes)?;
    Ok((read.rules.len(), read.refused.len()))
}

/// Reads the settings of a project.
///
/// # Errors
///
/// Why the file is refused.
pub fn configuration(bytes: &[u8]) -> Result<(), Failure> {
    crate::config::parse(bytes).map(drop)
}

/// Masks everything that a target may send back, with two secrets of a fixed form.
pub fn masked(text: &str) -> String {
    crate::evals::masked_for_tests(text)
}
