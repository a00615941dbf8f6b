//! `suppressions.toml`: findings that people have set aside, with a reason and an owner.

use engine_model::{Date, ErrorCode, Failure};
use engine_scanner::{SuppressionKind, SuppressionRule};
use serde::Deserialize;

/// The name of the file in the state directory.
pub(crate) const FILE: &str = "suppressions.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    suppression: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    check: Option<String>,
    finding: Option<String>,
    path: Option<String>,
    kind: Kind,
    reason: String,
    owner: String,
    until: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    FalsePositive,
    AcceptedRisk,
}

/// Reads the rules. A file that cannot be understood stops the scan: silently ignoring it would open or hide findings.
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<SuppressionRule>, Failure> {
    let wrong = |details: String| Failure::new(ErrorCode::StateConflict, format!(".compliance/{FILE}: {details}"));
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8; save it as UTF-8".to_owned()))?;
    let file: File = toml::from_str(text).map_err(|error| wrong(error.to_string().trim().to_owned()))?;
    file.suppression
        .into_iter()
        .enumerate()
        .map(|(index, entry)| {
            let at = |what: &str| wrong(format!("entry {}: {what}", index + 1));
            if entry.check.is_none() && entry.finding.is_none() {
                return Err(at("name a `check` or a `finding`"));
            }
            if entry.reason.trim().is_empty() || entry.owner.trim().is_empty() {
                return Err(at("`reason` and `owner` must say something"));
            }
            let until = entry.until.map(|date| date.parse::<Date>());
            let until = until
                .transpose()
                .map_err(|_| at("`until` must be a date such as 2027-01-31"))?;
            Ok(SuppressionRule {
                check_id: entry.check,
                finding_id: entry.finding,
                path: entry.path,
                kind: match entry.kind {
                    Kind::FalsePositive => SuppressionKind::FalsePositive,
                    Kind::AcceptedRisk => SuppressionKind::AcceptedRisk,
                },
                reason: entry.reason,
                owner: Some(entry.owner),
                until,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_needs_a_reason_an_owner_and_something_to_set_aside() {
        let rule = |text: &str| parse(text.as_bytes()).map(|rules| rules.len());
        let good = "[[suppression]]\ncheck = \"l4-x\"\nkind = \"accepted_risk\"\nreason = \"r\"\nowner = \"o\"\nuntil = \"2027-01-31\"\n";
        assert_eq!(rule(good), Ok(1));
        assert_eq!(rule(""), Ok(0));
        for (wrong, said) in [
            (good.replace("check = \"l4-x\"\n", ""), "name a `check`"),
            (good.replace("\"r\"", "\" \""), "`reason`"),
            (good.replace("2027-01-31", "soon"), "`until`"),
            (good.replace("owner", "owned"), "owned"),
        ] {
            let failure = rule(&wrong).unwrap_err();
            assert!(failure.details.contains(said), "{}", failure.details);
        }
    }
}
