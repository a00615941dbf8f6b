//! Findings that people have set aside: in a comment beside the code, or by a rule.

use std::collections::BTreeMap;

use engine_model::{
    Date, Finding, FindingType, Language, SourceFile, Suppression, SuppressionRecord, SuppressionSource,
    SuppressionStatus, nearest,
};

use crate::comments::Comments;
use crate::mask::mask_secrets;

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
    /// The file that holds the rule, relative to the project's root.
    pub file: String,
    /// Its line there, from 1.
    pub line: u32,
}

/// A comment `compliance-ignore: <checkId> -- reason`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct InlineSuppression {
    /// Line of the comment.
    pub(crate) line: u32,
    /// The line below it, past other comments.
    pub(crate) below: u32,
    /// Whether the comment shares its line with code, which it then speaks of first.
    pub(crate) trailing: bool,
    pub(crate) check_id: String,
    /// Why; empty when the comment gives no reason.
    pub(crate) reason: String,
    /// Set when the comment cannot be placed.
    pub(crate) misplaced: bool,
}

const MARK: &str = "compliance-ignore:";

/// The comments of a file that set findings aside, also those that cannot: what became of each is said in the reply.
pub(crate) fn inline_suppressions(file: &SourceFile<'_>) -> Vec<InlineSuppression> {
    // Most files hold no such comment; looking for its bytes first saves decoding them.
    if !contains(&file.bytes, MARK.as_bytes()) {
        return Vec::new();
    }
    let Some(text) = file.text() else { return Vec::new() };
    let mut found: Vec<InlineSuppression> = Vec::new();
    let mut comments = Comments::of(file.language);
    // Comments that still wait for the line they stand above.
    let mut waiting = 0;
    for (number, line) in (1..).zip(text.lines()) {
        let mut misplaced = false;
        let cell_line = (file.language == Language::Notebook).then(|| notebook_line(line));
        let line = match &cell_line {
            None => line,
            Some(Some(inner)) => inner.as_str(),
            Some(None) => {
                misplaced = line.contains(MARK);
                if misplaced { line } else { "" }
            }
        };
        let comment = comments.line(line);
        if !comment.only {
            for waits in &mut found[waiting..] {
                waits.below = number;
            }
            waiting = found.len();
        }
        for (check_id, reason) in comment.texts.iter().flat_map(|text| suppressions(text)) {
            found.push(InlineSuppression {
                line: number,
                below: number + 1,
                trailing: !comment.only,
                check_id,
                reason: mask_secrets(&reason),
                misplaced,
            });
        }
        if !comment.only {
            waiting = found.len();
        }
    }
    found
}

/// The checks that a comment names, each with the reason.
fn suppressions(comment: &str) -> Vec<(String, String)> {
    let Some(at) = comment.find(MARK) else {
        return Vec::new();
    };
    if comment[..at]
        .chars()
        .next_back()
        .is_some_and(|c| !c.is_whitespace() && !matches!(c, '/' | '*' | '!' | '#' | ';'))
    {
        return Vec::new();
    }
    let rest = comment[at + MARK.len()..].trim();
    let (ids, reason) = rest
        .split_once(" --")
        .or_else(|| rest.split_once(" \u{2013}"))
        .or_else(|| rest.split_once(" \u{2014}"))
        .unwrap_or((rest, ""));
    let reason = reason.trim_start_matches('-').trim();
    let reason = reason.trim_end_matches("-->").trim_end_matches("*/").trim();
    ids.split(',')
        // The first word is the id; whatever follows without `--` is no reason.
        .filter_map(|id| id.split_whitespace().next())
        // Documentation writes a stand-in for the id.
        .filter(|id| !id.starts_with(['<', '{', '[', '`', '…', '.']))
        .map(|id| (id.to_owned(), reason.to_owned()))
        .collect()
}

/// The line of code in a line of a notebook that holds one text of a list; none for every other line.
fn notebook_line(line: &str) -> Option<String> {
    let inner = line.trim().trim_end_matches(',').strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            // A bare quote ends the text: this line is a key and its value.
            '"' => return None,
            '\\' => match chars.next()? {
                'n' | 'r' => {}
                't' => out.push('\t'),
                'u' => {
                    let code: String = chars.by_ref().take(4).collect();
                    out.push(
                        u32::from_str_radix(&code, 16)
                            .ok()
                            .and_then(char::from_u32)
                            .unwrap_or('?'),
                    );
                }
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    Some(out)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    // UTF-16 is rare and short: its zeros would hide the mark.
    haystack.starts_with(&[0xFF, 0xFE])
        || haystack.starts_with(&[0xFE, 0xFF])
        || memchr::memmem::find(haystack, needle).is_some()
}

/// Sets findings aside where a comment or a rule says so, and says what became of every comment and rule.
pub(crate) fn apply(
    findings: &mut [Finding],
    rules: &[SuppressionRule],
    as_of: Date,
    inline: &BTreeMap<String, std::sync::Arc<[InlineSuppression]>>,
) -> Vec<SuppressionRecord> {
    let mut records = Vec::new();
    for (file, comments) in inline {
        for comment in comments.iter() {
            records.push(by_comment(findings, file, comment));
        }
    }
    for rule in rules {
        records.push(by_rule(findings, rule, as_of));
    }
    records
}

fn by_comment(findings: &mut [Finding], file: &str, comment: &InlineSuppression) -> SuppressionRecord {
    let mut record = SuppressionRecord {
        source: SuppressionSource::Comment,
        file: file.to_owned(),
        line: comment.line,
        check_id: Some(comment.check_id.clone()),
        finding_id: None,
        path: None,
        kind: Some(SuppressionKind::FalsePositive.name().to_owned()),
        reason: Some(comment.reason.clone()).filter(|reason| !reason.is_empty()),
        owner: None,
        until: None,
        status: SuppressionStatus::Invalid,
        message: String::new(),
        findings: Vec::new(),
    };
    if let Some(message) = unknown_check(&comment.check_id) {
        record.status = SuppressionStatus::UnknownCheck;
        record.message = message;
        return record;
    }
    if comment.misplaced {
        "not applied: the notebook is stored on a single line, so the comment cannot be linked to a finding; suppress the \
         finding in .compliance/suppressions.toml"
            .clone_into(&mut record.message);
        return record;
    }
    if record.reason.is_none() {
        record.message = format!(
            "not applied: the comment gives no reason; write `{MARK} {} -- <reason>`",
            comment.check_id
        );
        return record;
    }
    let on = |finding: &Finding, line: u32| {
        finding.kind != FindingType::Pass
            && crate::is_check(&comment.check_id, &finding.check_id)
            && finding.line == Some(line)
            && finding.file.as_deref() == Some(file)
    };
    let own = findings.iter().any(|finding| on(finding, comment.line));
    for finding in findings.iter_mut() {
        let meant = on(finding, comment.line)
            || !(comment.trailing && own) && (on(finding, comment.line + 1) || on(finding, comment.below));
        if meant {
            record.findings.push(finding.id.clone());
            finding.suppressed.get_or_insert_with(|| Suppression {
                kind: SuppressionKind::FalsePositive.name().to_owned(),
                reason: comment.reason.clone(),
                owner: None,
                until: None,
            });
        }
    }
    conclude(&mut record, "on this line or the one below");
    record
}

fn by_rule(findings: &mut [Finding], rule: &SuppressionRule, as_of: Date) -> SuppressionRecord {
    let reason = mask_secrets(&rule.reason);
    let owner = rule.owner.as_deref().map(mask_secrets);
    let mut record = SuppressionRecord {
        source: SuppressionSource::File,
        file: rule.file.clone(),
        line: rule.line,
        check_id: rule.check_id.clone(),
        finding_id: rule.finding_id.clone(),
        path: rule.path.clone(),
        kind: Some(rule.kind.name().to_owned()),
        reason: Some(reason.clone()),
        owner: owner.clone(),
        until: rule.until,
        status: SuppressionStatus::Invalid,
        message: String::new(),
        findings: Vec::new(),
    };
    if let Some(message) = rule.check_id.as_deref().and_then(unknown_check) {
        record.status = SuppressionStatus::UnknownCheck;
        record.message = message;
        return record;
    }
    let expired = rule.until.filter(|until| *until < as_of);
    for finding in findings.iter_mut().filter(|finding| matches(rule, finding)) {
        record.findings.push(finding.id.clone());
        if expired.is_none() {
            finding.suppressed.get_or_insert_with(|| Suppression {
                kind: rule.kind.name().to_owned(),
                reason: reason.clone(),
                owner: owner.clone(),
                until: rule.until,
            });
        }
    }
    if let Some(until) = expired {
        record.status = SuppressionStatus::Expired;
        record.message = match record.findings.len() {
            0 => format!("expired on {until}, and no finding matches it any more; remove it"),
            count => format!("expired on {until}; findings open again: {count}; fix them or decide again"),
        };
        return record;
    }
    conclude(&mut record, "in the project");
    record
}

/// A check id that does not exist, said with the nearest that does. Findings of external tools and models have ids of their own.
fn unknown_check(id: &str) -> Option<String> {
    if crate::check(id).is_some() || id.starts_with("ext-") || id.starts_with("l5-") {
        return None;
    }
    let meant = nearest(id, crate::checks().map(|check| check.id))
        .map(|meant| format!("; the closest id is `{meant}`"))
        .unwrap_or_default();
    Some(format!("not applied: check `{id}` does not exist{meant}"))
}

fn conclude(record: &mut SuppressionRecord, place: &str) {
    (record.status, record.message) = match record.findings.len() {
        0 => (
            SuppressionStatus::Unused,
            format!("no finding {place} matches it; remove it if the finding was fixed"),
        ),
        1 => (SuppressionStatus::Applied, "suppresses 1 finding".to_owned()),
        count => (SuppressionStatus::Applied, format!("suppresses {count} findings")),
    };
}

fn matches(rule: &SuppressionRule, finding: &Finding) -> bool {
    let named = rule.check_id.is_some() || rule.finding_id.is_some();
    named
        // Evidence is set aside only by its own id: a rule for a check speaks of what the check holds against the project.
        && (finding.kind != FindingType::Pass || rule.finding_id.is_some())
        && rule.check_id.as_deref().is_none_or(|id| crate::is_check(id, &finding.check_id))
        && rule.finding_id.as_deref().is_none_or(|id| id == finding.id)
        && rule.path.as_deref().is_none_or(|path| {
            let path = path.trim_start_matches("./").trim_end_matches('/');
            finding.file.as_deref().is_some_and(|file| {
                file == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline(path: &str, text: &str) -> Vec<(u32, u32, String, String)> {
        let file = SourceFile::new(path, text.as_bytes().to_vec());
        inline_suppressions(&file)
            .into_iter()
            .map(|s| (s.line, s.below, s.check_id, s.reason))
            .collect()
    }

    fn said(line: u32, below: u32) -> Vec<(u32, u32, String, String)> {
        vec![(line, below, "l4-x".to_owned(), "seen".to_owned())]
    }

    #[test]
    fn every_comment_syntax_suppresses() {
        for (path, text) in [
            ("a.py", "call()  # compliance-ignore: l4-x -- seen\n"),
            ("a.ts", "call() // compliance-ignore: l4-x -- seen\n"),
            ("a.tsx", "{/* compliance-ignore: l4-x -- seen */}\n"),
            ("a.go", "/* compliance-ignore: l4-x -- seen */\n"),
            ("a.rs", "/// compliance-ignore: l4-x -- seen\n"),
            (
                "a.java",
                " * compliance-ignore: l4-x -- seen\n".replace(" *", "/* *").as_str(),
            ),
            ("a.kt", "// compliance-ignore: l4-x -- seen\n"),
            ("a.cs", "// compliance-ignore: l4-x -- seen\n"),
            ("a.sh", "# compliance-ignore: l4-x -- seen\n"),
            ("a.rb", "# compliance-ignore: l4-x -- seen\n"),
            ("a.php", "// compliance-ignore: l4-x -- seen\n"),
            ("compose.yaml", "image: x # compliance-ignore: l4-x -- seen\n"),
            ("Dockerfile", "# compliance-ignore: l4-x -- seen\nFROM x\n"),
            ("a.html", "<!-- compliance-ignore: l4-x -- seen -->\n"),
            ("a.vue", "  <!-- compliance-ignore: l4-x -- seen -->\n"),
            ("a.properties", "# compliance-ignore: l4-x -- seen\n"),
            ("a.sql", "-- compliance-ignore: l4-x -- seen\n"),
            ("a.ipynb", "    \"# compliance-ignore: l4-x -- seen\\n\",\n"),
        ] {
            let found = inline(path, text);
            assert_eq!(found.len(), 1, "{path}: {found:?}");
            assert_eq!((found[0].2.as_str(), found[0].3.as_str()), ("l4-x", "seen"), "{path}");
        }
    }

    #[test]
    fn comments_above_reach_past_other_comments() {
        let text = "# compliance-ignore: l4-x -- seen\n# and more about it\ncall()\n";
        assert_eq!(inline("a.py", text), said(1, 3));
        assert_eq!(
            inline("a.py", "# compliance-ignore: l4-x -- seen\n\ncall()\n"),
            said(1, 2)
        );
    }

    #[test]
    fn several_checks_share_a_reason() {
        let found = inline("a.py", "# compliance-ignore: l4-x, l4-y -- seen\n");
        assert_eq!(found.len(), 2);
        assert_eq!(found[1].2, "l4-y");
    }

    #[test]
    fn comment_without_reason_is_kept_for_message() {
        assert_eq!(
            inline("a.py", "# compliance-ignore: l4-x\n"),
            [(1, 2, "l4-x".to_owned(), String::new())]
        );
    }

    #[test]
    fn strings_and_placeholders_do_not_suppress() {
        assert_eq!(inline("a.py", "s = '# compliance-ignore: l4-x -- y'\n"), []);
        assert_eq!(inline("a.py", "# `compliance-ignore: l4-x -- y`\n"), []);
        assert_eq!(inline("a.rs", "/// compliance-ignore: <checkId> -- reason\n"), []);
        assert_eq!(inline("a.py", "compliance_ignore = 1\n"), []);
    }

    #[test]
    fn a_secret_in_a_reason_is_masked() {
        let key = engine_scan_secrets::expand_examples("{{anthropic_key}}");
        let found = inline("a.py", &format!("# compliance-ignore: l4-x -- old key {key}\n"));
        assert!(!found[0].3.contains(&key) && found[0].3.contains("****"), "{found:?}");
    }
}
