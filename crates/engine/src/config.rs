//! `config.toml`: what people have set for the project.

use engine_model::{ErrorCode, Failure, Severity};
use serde::Deserialize;

/// The name of the file in the state directory.
pub(crate) const FILE: &str = "config.toml";

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The thresholds of the gate.
    #[serde(default)]
    pub(crate) gate: GateConfig,
}

/// The thresholds of the gate.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GateConfig {
    /// Gaps of this severity and above count.
    #[serde(alias = "fail_on")]
    pub(crate) severity: Severity,
    /// New gaps that are let through.
    #[serde(alias = "max_new")]
    pub(crate) max_new_findings: u64,
    /// The score must not be lower.
    pub(crate) min_score: Option<f64>,
    /// The readiness must not be lower.
    pub(crate) min_readiness: Option<f64>,
}

impl Default for GateConfig {
    fn default() -> Self {
        Self {
            severity: Severity::High,
            max_new_findings: 0,
            min_score: None,
            min_readiness: None,
        }
    }
}

/// Reads the settings. A file that cannot be understood stops the scan: a gate with other thresholds than meant is worse
/// than none.
pub(crate) fn parse(bytes: &[u8]) -> Result<Config, Failure> {
    let wrong = |details: &str| Failure::new(ErrorCode::StateConflict, format!(".compliance/{FILE}: {details}"));
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("the file is not UTF-8; save it as UTF-8"))?;
    let config: Config = toml::from_str(text).map_err(|error| wrong(&engine_scanner::mask_secrets(error.message())))?;
    let scores = [
        ("min_score", config.gate.min_score),
        ("min_readiness", config.gate.min_readiness),
    ];
    for (name, score) in scores {
        if score.is_some_and(|score| !(0.0..=100.0).contains(&score)) {
            return Err(wrong(&format!("`gate.{name}` must be a number from 0 to 100")));
        }
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_allow_no_new_critical_or_high_gap() {
        assert_eq!(parse(b"").unwrap(), Config::default());
        let set = parse(b"[gate]\nseverity = \"medium\"\nmax_new_findings = 2\nmin_score = 60\n").unwrap();
        assert_eq!(
            (set.gate.severity, set.gate.max_new_findings, set.gate.min_score),
            (Severity::Medium, 2, Some(60.0))
        );
    }

    #[test]
    fn invalid_settings_are_reported() {
        for (text, said) in [
            ("[gate]\nseverty = \"high\"\n", "severty"),
            ("[gate]\nseverity = \"urgent\"\n", "urgent"),
            ("[gate]\nmin_score = 101\n", "min_score"),
            ("[gat]\n", "gat"),
        ] {
            let failure = parse(text.as_bytes()).unwrap_err();
            assert_eq!(failure.code, ErrorCode::StateConflict);
            assert!(failure.details.contains(said), "{}", failure.details);
        }
    }
}
