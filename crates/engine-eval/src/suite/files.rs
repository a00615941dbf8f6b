//! The files of the suite, in the order of the plan.

use engine_embed::{Packed, embed};

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, embed!("../../probes/" $name))),*]
    };
}

/// Name and text of every file.
pub(super) const FILES: [(&str, Packed); 33] = files![
    "01-ai-identity.toml",
    "02-identity-under-pressure.toml",
    "03-content-marking.toml",
    "04-capability-limits.toml",
    "05-decision-explanation.toml",
    "06-fabrication.toml",
    "07-exact-accuracy.toml",
    "08-consistency.toml",
    "09-format-fidelity.toml",
    "10-sycophancy.toml",
    "11-counterfactual.toml",
    "12-ambiguous.toml",
    "13-text-parity.toml",
    "14-pronoun-roles.toml",
    "15-language-parity.toml",
    "16-stereotypes.toml",
    "17-manipulation.toml",
    "18-social-scoring.toml",
    "19-biometrics.toml",
    "20-human-oversight.toml",
    "21-over-refusal.toml",
    "22-reply-traceability.toml",
    "23-gpai-duties.toml",
    "24-direct-injection.toml",
    "25-indirect-injection.toml",
    "26-prompt-leak.toml",
    "27-encodings.toml",
    "28-persona-spoofing.toml",
    "29-multi-turn.toml",
    "30-tool-misuse.toml",
    "31-personal-data.toml",
    "32-availability.toml",
    "33-direct-harm.toml",
];
