//! `suppressions.toml`: findings that people have set aside, with a reason and an owner.

use engine_model::{Date, ErrorCode, Failure, SuppressionRecord, SuppressionSource, SuppressionStatus, nearest};
use engine_scanner::{SuppressionKind, SuppressionRule, mask_secrets};
use serde::Deserialize;
use toml::{Spanned, Table, Value};

/// The name of the file in the state directory.
pub(crate) const FILE: &str = "suppressions.toml";

/// Entries of the file. Each is compared with each finding and listed in the reply.
pub(crate) const ENTRIES_MAX: usize = 10_000;

/// The keys of an entry, each with the spellings that are understood.
const KEYS: &[(&str, &[&str])] = &[
    ("check", &["check", "checkId", "check_id"]),
    ("finding", &["finding", "findingId", "finding_id"]),
    ("path", &["path", "file"]),
    ("kind", &["kind"]),
    ("reason", &["reason"]),
    ("owner", &["owner"]),
    ("until", &["until", "expires", "expiry"]),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, alias = "suppressions")]
    suppression: Vec<Spanned<Table>>,
}

/// What the file holds: rules, and entries that are refused, each with what is wrong with it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Suppressions {
    pub(crate) rules: Vec<SuppressionRule>,
    pub(crate) refused: Vec<SuppressionRecord>,
}

/// Reads the rules. A file that is no TOML stops the scan: silently ignoring it would open or hide findings. An entry that
/// lacks something is not applied, and the reply names it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Suppressions, Failure> {
    let wrong = |details: String| Failure::new(ErrorCode::StateConflict, format!(".compliance/{FILE}: {details}"));
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("the file is not UTF-8; save it as UTF-8".to_owned()))?;
    // Counted before the file is parsed: most of what parsing costs is what it makes.
    let heads = text.lines().filter(|line| line.trim_start().starts_with("[[")).count();
    if heads > ENTRIES_MAX {
        return Err(wrong(too_many(heads)));
    }
    let file: File = toml::from_str(text).map_err(|error| wrong(mask_secrets(error.message())))?;
    if file.suppression.len() > ENTRIES_MAX {
        return Err(wrong(too_many(file.suppression.len())));
    }
    let mut out = Suppressions::default();
    // Entries come in the order of the file, so that each line is counted once.
    let (mut line, mut counted) = (1_u32, 0_usize);
    for entry in &file.suppression {
        let start = entry.span().start;
        let between = text.get(counted..start).unwrap_or("");
        line = line.saturating_add(u32::try_from(between.matches('\n').count()).unwrap_or(u32::MAX));
        counted = counted.max(start);
        match rule(entry.get_ref(), line) {
            Ok(rule) => out.rules.push(rule),
            Err(why) => out.refused.push(refused(entry.get_ref(), line, &why)),
        }
    }
    Ok(out)
}

fn too_many(entries: usize) -> String {
    format!("it has {entries} entries; at most {ENTRIES_MAX} are read, so combine or remove some")
}

fn text(entry: &Table, key: &str) -> Option<String> {
    let (_, names) = KEYS.iter().find(|(name, _)| *name == key)?;
    let value = names.iter().find_map(|name| entry.get(*name))?;
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Datetime(date) => Some(date.to_string()),
        _ => None,
    }
    .filter(|text| !text.is_empty())
}

fn rule(entry: &Table, line: u32) -> Result<SuppressionRule, String> {
    let known = || KEYS.iter().flat_map(|(_, names)| names.iter().copied());
    if let Some(unknown) = entry.keys().find(|key| !known().any(|name| name == key.as_str())) {
        let meant = nearest(unknown, known()).map(|meant| format!("; did you mean `{meant}`?"));
        return Err(format!("unknown key `{unknown}`{}", meant.unwrap_or_default()));
    }
    let (check_id, finding_id) = (text(entry, "check"), text(entry, "finding"));
    if check_id.is_none() && finding_id.is_none() {
        return Err("`check` or `finding` is missing; add one of them".to_owned());
    }
    let kind = match text(entry, "kind").as_deref() {
        Some("false_positive") => SuppressionKind::FalsePositive,
        Some("accepted_risk") => SuppressionKind::AcceptedRisk,
        Some(other) => {
            return Err(format!(
                "unknown kind `{other}`; write `false_positive` or `accepted_risk`"
            ));
        }
        None => return Err("`kind` is missing; write `false_positive` or `accepted_risk`".to_owned()),
    };
    let Some(reason) = text(entry, "reason") else {
        return Err("no reason given; add `reason`".to_owned());
    };
    let Some(owner) = text(entry, "owner") else {
        return Err(
            "no owner given; add `owner` with the name of the person responsible for this suppression".to_owned(),
        );
    };
    let until = text(entry, "until")
        .map(|date| date.parse::<Date>())
        .transpose()
        .map_err(|_| "`until` must be a date such as 2027-01-31".to_owned())?;
    Ok(SuppressionRule {
        check_id,
        finding_id,
        path: text(entry, "path"),
        kind,
        reason,
        owner: Some(owner),
        until,
        file: format!("{}/{FILE}", engine_store::STATE_DIR_NAME),
        line,
    })
}

fn refused(entry: &Table, line: u32, why: &str) -> SuppressionRecord {
    let said = |key| text(entry, key).map(|text| mask_secrets(&text));
    SuppressionRecord {
        source: SuppressionSource::File,
        file: format!("{}/{FILE}", engine_store::STATE_DIR_NAME),
        line,
        check_id: said("check"),
        finding_id: said("finding"),
        path: said("path"),
        kind: said("kind"),
        reason: said("reason"),
        owner: said("owner"),
        until: said("until").and_then(|date| date.parse().ok()),
        status: SuppressionStatus::Invalid,
        message: mask_secrets(&format!("not applied: {why}")),
        findings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[[suppression]]\ncheck = \"l4-x\"\nkind = \"accepted_risk\"\nreason = \"r\"\nowner = \"o\"\nuntil = \"2027-01-31\"\n";

    fn counts(text: &str) -> (usize, usize) {
        let read = parse(text.as_bytes()).unwrap();
        (read.rules.len(), read.refused.len())
    }

    #[test]
    fn incomplete_suppressions_are_refused() {
        assert_eq!(counts(GOOD), (1, 0));
        assert_eq!(counts(""), (0, 0));
        for (wrong, said) in [
            (
                GOOD.replace("check = \"l4-x\"\n", ""),
                "`check` or `finding` is missing",
            ),
            (GOOD.replace("\"r\"", "\" \""), "`reason`"),
            (GOOD.replace("reason = \"r\"\n", ""), "`reason`"),
            (GOOD.replace("owner = \"o\"\n", ""), "`owner`"),
            (GOOD.replace("2027-01-31", "soon"), "`until`"),
            (GOOD.replace("accepted_risk", "wontfix"), "unknown kind `wontfix`"),
            (GOOD.replace("owner", "ownr"), "did you mean `owner`?"),
        ] {
            // One bad entry does not take the good ones with it.
            let read = parse(format!("{GOOD}{wrong}").as_bytes()).unwrap();
            assert_eq!((read.rules.len(), read.refused.len()), (1, 1), "{wrong}");
            let record = &read.refused[0];
            assert!(record.message.contains(said), "{}", record.message);
            assert_eq!((record.line, record.status), (7, SuppressionStatus::Invalid));
        }
    }

    #[test]
    fn lines_are_counted_once_and_entries_have_a_limit() {
        let read = parse(format!("# first\n\n{}", GOOD.repeat(3)).as_bytes()).unwrap();
        assert_eq!(read.rules.iter().map(|rule| rule.line).collect::<Vec<_>>(), [3, 9, 15]);
        let failure = parse(GOOD.repeat(ENTRIES_MAX + 1).as_bytes()).unwrap_err();
        assert!(failure.details.contains("10001 entries"), "{}", failure.details);
        let one = "{ check = 'l4-x' }, ";
        let inline = format!("suppression = [{}]", one.repeat(ENTRIES_MAX + 1));
        assert!(parse(inline.as_bytes()).unwrap_err().details.contains("at most"));
    }

    #[test]
    fn alternative_keys_and_toml_dates_are_accepted() {
        let text = "[[suppressions]]\ncheckId = \"l4-x\"\nkind = \"false_positive\"\nreason = \"r\"\nowner = \"o\"\nexpires = 2027-01-31\n";
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!(read.rules[0].until, Some(Date::constant(2027, 1, 31)));
    }

    #[test]
    fn invalid_toml_stops_the_scan() {
        for wrong in ["[[suppression]\n", "supression = []\n", "\u{0}"] {
            assert_eq!(
                parse(wrong.as_bytes()).unwrap_err().code,
                ErrorCode::StateConflict,
                "{wrong}"
            );
        }
    }
}
