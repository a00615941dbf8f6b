//! Configuration of logs, with the days for which they are kept where it says so.

use engine_model::{ArtefactKind, Language};

use crate::kinds::delivery::pipeline;
use crate::read::Candidate;
use crate::view::{View, candidate, number};

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    // Pipelines keep artefacts of builds, not logs of the product.
    if matches!(
        view.language,
        Language::Html | Language::Tsx | Language::JavaScript | Language::Ruby | Language::Markup
    ) || pipeline(view).is_some()
    {
        return;
    }
    let before = out.len();
    stated_retention(view, out);
    rotation(view, out);
    if out.len() == before
        && let Some((line, because)) = configuration(view)
    {
        out.push(candidate(ArtefactKind::LogConfiguration, line, because));
    }
}

/// Marks of a text whose retention is of logs.
const LOG_CONTEXT: &[&str] = &[
    "log_group",
    "loggroup",
    "log_analytics",
    "loganalytics",
    "logging_project",
    "limits_config",
    "loki",
    "cloudwatch",
    "logs:",
    "logging:",
    "audit_log",
    "auditlog",
    "log_bucket",
    "logretention",
    "\"logs\"",
    "_log\"",
    "-logs",
];
/// Marks of retention that is of something else.
const OTHER_RETENTION: &[&str] = &[
    "backup",
    "snapshot",
    "performance_insights",
    "artifact",
    "image",
    "soft_delete",
    "message_retention",
    "point_in_time",
    "tsdb",
    "metrics",
    "kms",
    "deletion_window",
];

/// A stated number of days: `retention_in_days = 365`, `RetentionInDays: 30`, `retention_period: 744h`, `LOG_RETENTION_DAYS=180`.
fn stated_retention(view: &View<'_>, out: &mut Vec<Candidate>) {
    let context = LOG_CONTEXT.iter().any(|mark| view.lower.contains(mark));
    // Kafka calls its topics logs.
    let broker = view.lower.contains("kafka") || view.lower.contains("zookeeper");
    for (index, line) in view.lines.iter().enumerate() {
        if !line.contains("retention") && !line.contains("aufbewahrung")
            || OTHER_RETENTION.iter().any(|other| line.contains(other))
            || broker
        {
            continue;
        }
        let Some(separator) = line.find([':', '=']) else {
            continue;
        };
        let (key, value) = (
            line[..separator].trim().trim_matches(['"', '\'', '-', ' ']),
            &line[separator + 1..],
        );
        let own = key.contains("log");
        if !key.contains("retention") || !(own || context) || key.contains(' ') {
            continue;
        }
        let unit = if key.contains("hour") {
            "h"
        } else if key.contains("week") {
            "w"
        } else if key.contains("month") {
            "mo"
        } else if key.contains("year") {
            "y"
        } else {
            "d"
        };
        let Some(days) = days(value, unit) else { continue };
        out.push(Candidate {
            kind: ArtefactKind::LogConfiguration,
            line: number(index),
            because: format!("`{key}` keeps logs for {days} days"),
            days: Some(days),
        });
    }
}

/// Days of a value such as `90`, `"90d"`, `744h`, `6 months`. A zero has no single meaning and gives nothing.
fn days(value: &str, unit: &str) -> Option<u32> {
    let value = value.trim().trim_matches(['"', '\'', ',', ';', ' ', '}', ']']);
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = value.get(..digits)?.parse().ok()?;
    let written = value[digits..].trim().trim_matches(['"', '\'', ',', ';']);
    let written = written.split_whitespace().next().unwrap_or("");
    let unit = if written.is_empty() || written.starts_with('#') {
        unit
    } else {
        written
    };
    let days = match unit {
        "h" | "hours" | "hour" => number / 24,
        "d" | "days" | "day" => number,
        "w" | "weeks" | "week" => number.checked_mul(7)?,
        "mo" | "months" | "month" => number.checked_mul(30)?,
        "y" | "years" | "year" => number.checked_mul(365)?,
        _ => return None,
    };
    (number > 0).then_some(days)
}

/// Rotation that deletes: logrotate, a timed handler of Python, logback.
fn rotation(view: &View<'_>, out: &mut Vec<Candidate>) {
    let mut add = |line: u32, count: u32, per: u32, what: &str| {
        let days = count.saturating_mul(per);
        out.push(Candidate {
            kind: ArtefactKind::LogConfiguration,
            line,
            because: format!("{what} keeps logs for {days} days"),
            days: Some(days),
        });
    };
    let value_of = |line: &str| {
        line.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
            .parse::<u32>()
            .ok()
            .filter(|count| *count > 0)
    };
    if view.language == Language::Other && view.has("{") {
        let period = [("daily", 1), ("weekly", 7), ("monthly", 30)]
            .into_iter()
            .find(|(word, _)| view.line_where(|line| line.trim() == *word).is_some());
        let rotate = view
            .lines
            .iter()
            .enumerate()
            .find(|(_, line)| line.trim().starts_with("rotate "));
        if let (Some((_, per)), Some((index, line))) = (period, rotate)
            && let Some(count) = value_of(line)
        {
            add(number(index), count, per, "logrotate");
        }
    }
    if view.has("timedrotatingfilehandler") {
        let daily = view.has("midnight") || view.has("when: d") || view.has("\"d\"");
        let count = view
            .lines
            .iter()
            .enumerate()
            .find(|(_, line)| line.contains("backupcount"));
        if let Some((index, line)) = count
            && let Some(count) = value_of(line)
            && daily
        {
            add(number(index), count, 1, "the timed log handler");
        }
    }
    if view.language == Language::Xml && view.has("rollingpolicy") && view.has("yyyy-mm-dd") {
        let history = view
            .lines
            .iter()
            .enumerate()
            .find(|(index, line)| line.contains("<maxhistory>") && is_written(view, *index));
        if let Some((index, line)) = history
            && let Some(count) = value_of(line)
        {
            add(number(index), count, 1, "the log rolling policy");
        }
    }
    // A lifecycle of Elasticsearch or OpenSearch: the phase that deletes names the age.
    if view.language == Language::Json
        && let Some(delete) = view.line_with("\"delete\"")
        && view.has("\"phases\"")
    {
        let start = usize::try_from(delete).unwrap_or(0);
        let age = view
            .lines
            .iter()
            .enumerate()
            .skip(start.saturating_sub(1))
            .take(10)
            .find(|(_, line)| line.contains("\"min_age\""));
        if let Some((index, line)) = age
            && let Some(days) = line
                .split_once("\"min_age\"")
                .and_then(|(_, value)| days(value.trim_start_matches([':', ' ']), "d"))
        {
            add(number(index), days, 1, "the index lifecycle policy");
        }
    }
}

/// Whether something is written to the appender of logback that a line belongs to: one that only loggers name whose level is `OFF` stays
/// empty.
fn is_written(view: &View<'_>, at: usize) -> bool {
    let value = |line: &str, key: &str| {
        let (_, rest) = line.split_once(key)?;
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(rest[1..].split(quote).next().unwrap_or("").to_owned())
    };
    let above = &view.lines[..at.min(view.lines.len())];
    let Some(name) = above
        .iter()
        .rev()
        .find(|line| line.contains("<appender "))
        .and_then(|line| value(line, " name"))
    else {
        return true;
    };
    let mut off = None;
    let mut named = false;
    for line in &view.lines {
        if line.contains("<root") || line.contains("<logger") {
            off = Some(value(line, " level").is_some_and(|level| level == "off"));
        }
        // Another appender may hand its lines on, outside of any logger.
        if line.contains("<appender-ref") && value(line, " ref").as_deref() == Some(name.as_str()) {
            if off != Some(true) {
                return true;
            }
            named = true;
        }
        if line.contains("</root") || line.contains("</logger") || line.contains("<logger") && line.contains("/>") {
            off = None;
        }
    }
    !named
}

/// A configuration of logs that says nothing about their retention.
fn configuration(view: &View<'_>) -> Option<(u32, &'static str)> {
    match view.language {
        Language::Yaml => {
            if view.has_key("version")
                && view.has_key("handlers")
                && (view.has_key("formatters") || view.has_key("loggers") || view.has_key("root"))
            {
                return Some((view.key_line("handlers"), "log handlers"));
            }
            (view.has_key("limits_config") && view.has_key("schema_config"))
                .then(|| (view.key_line("schema_config"), "a log store"))
        }
        Language::Json => (view.has("\"handlers\"") && view.has("\"formatters\"") && view.has("\"version\""))
            .then(|| (view.line_with("\"handlers\"").unwrap_or(1), "log handlers")),
        Language::Xml => (view.has("<appender") && (view.has("<configuration") || view.has("<root")))
            .then(|| (view.line_with("<appender").unwrap_or(1), "log appenders")),
        Language::Other => {
            let fluent = view.has("[input]") && view.has("[output]");
            fluent
                .then(|| (view.line_with("[output]").unwrap_or(1), "a log forwarder"))
                .or_else(|| {
                    view.line_with("resource \"aws_cloudwatch_log_group\"")
                        .map(|line| (line, "a log group"))
                })
                .or_else(|| {
                    (view.has("[handlers]") && view.has("[formatters]"))
                        .then(|| (view.line_with("[handlers]").unwrap_or(1), "log handlers"))
                })
        }
        _ => None,
    }
}
