//! Findings that people have set aside: in a comment beside the code, or by a rule.

use engine_model::{Date, Finding, SourceFile, Suppression};

/// How a finding was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SuppressionKind {
    /// It is wrong: it leaves score and gate.
    FalsePositive,
    /// It is right and accepted: it leaves the gate and stays a gap.
    AcceptedRisk,
}

impl SuppressionKind {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FalsePositive => "false_positive",
            Self::AcceptedRisk => "accepted_risk",
        }
    }
}

/// A rule that sets findings aside. What is none matches everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressionRule {
    /// The check.
    pub check_id: Option<String>,
    /// One finding.
    pub finding_id: Option<String>,
    /// A file, or a folder with all below it.
    pub path: Option<String>,
    /// Wrong, or accepted.
    pub kind: SuppressionKind,
    /// Why.
    pub reason: String,
    /// Who decided.
    pub owner: Option<String>,
    /// Until when it holds; past that day the finding opens again.
    pub until: Option<Date>,
}

/// A comment `compliance-ignore: <checkId> -- reason`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct InlineSuppression {
    pub(crate) line: u32,
    pub(crate) check_id: String,
    pub(crate) reason: String,
}

const MARK: &str = "compliance-ignore:";

/// The comments of a file that set findings aside. A comment without a reason sets nothing aside.
pub(crate) fn inline_suppressions(file: &SourceFile<'_>) -> Vec<InlineSuppression> {
    // Most files hold no such comment; looking for its bytes first saves decoding them.
    if memchr_find(&file.bytes, MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    let Some(text) = file.text() else { return Vec::new() };
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(at) = line.find(MARK) else { continue };
        let before = &line[..at];
        if !["#", "//", "/*", "*", "<!--", "--", "{/*"]
            .iter()
            .any(|open| before.trim_end().ends_with(open))
        {
            continue;
        }
        let rest = line[at + MARK.len()..].trim();
        let Some((check_id, reason)) = rest.split_once("--") else {
            continue;
        };
        let reason = reason
            .trim()
            .trim_end_matches("*/")
            .trim_end_matches("-->")
            .trim_end_matches("*/}")
            .trim();
        if !reason.is_empty() {
            found.push(InlineSuppression {
                line: u32::try_from(index + 1).unwrap_or(u32::MAX),
                check_id: check_id.trim().to_owned(),
                reason: reason.to_owned(),
            });
        }
    }
    found
}

fn memchr_find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(at) = haystack[from..].iter().position(|b| *b == first) {
        let at = from + at;
        if haystack[at..].starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Sets findings aside where a comment or a rule says so. `inline` gives the comments of a file.
pub(crate) fn apply<'a>(
    findings: &mut [Finding],
    rules: &[SuppressionRule],
    as_of: Date,
    inline: impl Fn(&str) -> &'a [InlineSuppression],
) {
    for finding in findings {
        let by_comment = finding.file.as_deref().zip(finding.line).and_then(|(file, line)| {
            inline(file)
                .iter()
                .find(|s| s.check_id == finding.check_id && (s.line == line || s.line + 1 == line))
                .map(|s| Suppression {
                    kind: SuppressionKind::FalsePositive.name().to_owned(),
                    reason: s.reason.clone(),
                    owner: None,
                    until: None,
                })
        });
        finding.suppressed = by_comment.or_else(|| {
            rules
                .iter()
                .find(|rule| rule.until.is_none_or(|until| until >= as_of) && matches(rule, finding))
                .map(|rule| Suppression {
                    kind: rule.kind.name().to_owned(),
                    reason: rule.reason.clone(),
                    owner: rule.owner.clone(),
                    until: rule.until,
                })
        });
    }
}

fn matches(rule: &SuppressionRule, finding: &Finding) -> bool {
    let named = rule.check_id.is_some() || rule.finding_id.is_some();
    named
        && rule.check_id.as_deref().is_none_or(|id| id == finding.check_id)
        && rule.finding_id.as_deref().is_none_or(|id| id == finding.id)
        && rule.path.as_deref().is_none_or(|path| {
            finding.file.as_deref().is_some_and(|file| {
                file == path
                    || file
                        .strip_prefix(path.trim_end_matches('/'))
                        .is_some_and(|rest| rest.starts_with('/'))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline(text: &str) -> Vec<(u32, String)> {
        let file = SourceFile::new("a.py", text.as_bytes().to_vec());
        inline_suppressions(&file)
            .into_iter()
            .map(|s| (s.line, s.check_id))
            .collect()
    }

    #[test]
    fn a_comment_with_a_reason_sets_a_finding_aside() {
        assert_eq!(
            inline("x = 1\n# compliance-ignore: l4-x -- tested by hand\n"),
            [(2, "l4-x".to_owned())]
        );
    }

    #[test]
    fn without_a_reason_or_outside_a_comment_nothing_is_set_aside() {
        assert_eq!(inline("# compliance-ignore: l4-x\n"), []);
        assert_eq!(inline("s = 'compliance-ignore: l4-x -- y'\n"), []);
    }
}
