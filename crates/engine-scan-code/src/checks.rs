//! The checks of this layer, one module each.

use engine_model::Check;

/// All checks of this layer.
pub const CHECKS: &[Check] = &[];
