//! A result for people and for tools. Replies are foreign text and never become markup.

use std::fmt::Write;

use engine_model::Severity;
use serde_json::{Value, json};

use crate::disparity::Disparity;
use crate::foreign::is_hidden;
use crate::judge::Verdict;
use crate::result::EvalResult;
use crate::stats::Interval;
use crate::suite::Category;

/// Failures that are told in full.
const FAILURES_MAX: usize = 50;

/// Characters of a reply beside a failure.
const REPLY_CHARS: usize = 400;

/// Text of others on one line, without any mark that Markdown or HTML reads, and without hidden characters.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars().take(REPLY_CHARS * 4) {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if is_hidden(c) {
            continue;
        }
        if blank && !out.is_empty() {
            out.push(' ');
        }
        blank = false;
        out.push(c);
    }
    out
}

fn clipped(text: &str, most: usize) -> String {
    let text = plain(text);
    let mut out: String = text.chars().take(most).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}

fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '#' | '+' | '!' | '|' | '~' | '-' | '='
            | '$' => {
                out.push('\\');
                out.push(c);
            }
            // An address that nobody meant to be followed must not become a link by itself.
            ':' => out.push_str("&#58;"),
            '@' => out.push_str("&#64;"),
            _ => out.push(c),
        }
    }
    out
}

fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(c),
        }
    }
    out
}

fn percent(interval: Option<Interval>) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |at| format!("{:.0}–{:.0} %", at.low * 100.0, at.high * 100.0),
    )
}

fn number(score: Option<f64>) -> String {
    score.map_or_else(|| "no score".to_owned(), |score| format!("{score:.1}"))
}

/// A result in Markdown.
pub fn eval_markdown(result: &EvalResult) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = writeln!(out, "# Evaluation of an AI endpoint\n");
    let _ = writeln!(out, "{}\n", result.disclaimer);
    let _ = writeln!(out, "| | |\n| --- | --- |");
    let grade = result
        .grade
        .as_ref()
        .map_or_else(String::new, |grade| format!(" (grade {grade})"));
    for (name, value) in [
        ("Target", markdown(&clipped(&result.target, 200))),
        ("Time", result.timestamp.clone()),
        ("Score", format!("{}{grade}", number(result.score))),
        ("Security", number(result.security_score)),
        (
            "Pass rate",
            format!(
                "{} of {} (95 % confidence interval: {})",
                result.passed,
                result.passed + result.failed,
                percent(result.interval)
            ),
        ),
        (
            "Coverage",
            format!("{:.0} % of the probes have a verdict", result.coverage * 100.0),
        ),
        (
            "Without a verdict",
            format!(
                "{} errors, {} inconclusive, {} not judged, {} skipped",
                result.errors, result.inconclusive, result.not_judged, result.skipped
            ),
        ),
        (
            "Suite",
            format!(
                "{} ({})",
                result.suite_version,
                &result.suite_hash[..12.min(result.suite_hash.len())]
            ),
        ),
        ("Seed", result.seed.clone()),
    ] {
        let _ = writeln!(out, "| {name} | {value} |");
    }
    for reason in result.score_reason.iter().chain(
        result
            .caps
            .iter()
            .filter(|cap| cap.scope == "overall")
            .map(|cap| &cap.reason),
    ) {
        let _ = writeln!(out, "\n**{}**", markdown(reason));
    }
    let _ = writeln!(
        out,
        "\n## Categories\n\n| Category | Article | Score | Passed | Failed | Pass rate, 95 % | Coverage |\n| --- | --- | ---: | ---: | ---: | --- | ---: |"
    );
    for category in result.categories.values() {
        let capped = if category.critical_capped {
            " (capped by a critical failure)"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "| {} | {} | {}{capped} | {} | {} | {} | {:.0} % |",
            markdown(&category.title),
            markdown(&category.articles.join(", ")),
            number(category.score),
            category.passed,
            category.failed,
            percent(category.interval),
            category.coverage * 100.0
        );
    }
    if !result.disparities.is_empty() {
        let _ = writeln!(
            out,
            "\n## Groups of people\n\n| Attribute | Kind | Pairs | Different | Gap | p (Holm) | Smallest detectable gap (80 % power) |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |"
        );
        // Texts and clear questions are told where something differs; the result holds the rest.
        let told = |one: &&Disparity| one.differing > 0 || !(one.kind.starts_with("text-") || one.kind == "clear");
        for one in result.disparities.iter().filter(told) {
            let gap = one
                .detectable_gap
                .map_or_else(|| "–".to_owned(), |gap| format!("{:.0} points", gap * 100.0));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {:+.2} | {:.3} | {gap} |",
                markdown(&one.attribute),
                one.kind,
                one.pairs,
                one.differing,
                one.gap,
                one.p_adjusted
            );
        }
    }
    failures(&mut out, result);
    out
}

fn failures(out: &mut String, result: &EvalResult) {
    if result.failures.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## Failed probes");
    for failure in result.failures.iter().take(FAILURES_MAX) {
        let _ = writeln!(
            out,
            "\n### {} ({}, {})\n",
            markdown(&failure.probe),
            failure.severity.name(),
            failure.id
        );
        let _ = writeln!(out, "- Expected: {}", markdown(&failure.expected));
        let _ = writeln!(out, "- Observed: {}", markdown(&clipped(&failure.actual, REPLY_CHARS)));
        let _ = writeln!(out, "- Why: {}", markdown(&clipped(&failure.reason, REPLY_CHARS)));
    }
    if result.failures.len() > FAILURES_MAX {
        let _ = writeln!(out, "\n… and {} more.", result.failures.len() - FAILURES_MAX);
    }
}

/// What to do about the failures of a run, in Markdown.
pub(crate) fn remediation_markdown(result: &EvalResult, categories: &[&Category]) -> String {
    let mut out = String::from("# How to fix the failed probes\n");
    if categories.is_empty() {
        out.push_str("\nNo probe failed in this run. This is evidence within the stated intervals, not proof.\n");
    }
    let mut order: Vec<(&&Category, Severity, usize)> = categories
        .iter()
        .map(|category| {
            let of = result.failures.iter().filter(|failure| failure.category == category.id);
            let worst = of
                .clone()
                .map(|failure| failure.severity)
                .max()
                .unwrap_or(Severity::Low);
            (category, worst, of.count())
        })
        .collect();
    order.sort_by_key(|(category, worst, count)| (std::cmp::Reverse((*worst, *count)), category.number));
    for (index, (category, worst, count)) in order.into_iter().enumerate() {
        let probes = if count == 1 { "probe" } else { "probes" };
        let _ = writeln!(
            out,
            "\n## {}. {}\n\n{count} {probes} failed. Highest severity: {}. Articles: {}.\n",
            index + 1,
            category.title,
            worst.name(),
            category.articles.join(", ")
        );
        let _ = writeln!(
            out,
            "**Why it matters.** {}\n\n**What to do.** {}",
            category.why, category.remedy
        );
        if !category.system_prompt.is_empty() {
            let _ = writeln!(out, "\n**Add to the system prompt.**\n\n> {}", category.system_prompt);
        }
        let _ = writeln!(out, "\n**How to verify the fix.** {}\n\nFailed:\n", category.verify);
        for failure in result.failures.iter().filter(|failure| failure.category == category.id) {
            let _ = writeln!(out, "- `{}` {}", failure.id, markdown(&failure.probe));
        }
    }
    out
}

/// A result as `JUnit` XML: one suite for each category, one case for each probe. What has no verdict is skipped, and what
/// had no reply is an error: neither is a test that passed.
pub fn eval_junit(result: &EvalResult) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = |verdicts: &[Verdict]| {
        result
            .results
            .iter()
            .filter(|probe| verdicts.contains(&probe.verdict))
            .count()
    };
    let _ = writeln!(
        out,
        "<testsuites name=\"Evaluation\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        result.results.len(),
        count(&[Verdict::Fail]),
        count(&[Verdict::Error]),
        count(&[Verdict::Inconclusive, Verdict::NotJudged, Verdict::Skipped]),
        result.duration / 1000.0
    );
    for (id, category) in &result.categories {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            xml(id),
            category.total,
            category.failed,
            category.errors,
            category.inconclusive + category.not_judged + category.skipped
        );
        for probe in result.results.iter().filter(|probe| probe.category == *id) {
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
                xml(id),
                xml(&plain(&format!("{}: {}", probe.id, probe.title))),
                probe.latency / 1000.0
            );
            let reason = xml(&clipped(&probe.reason, REPLY_CHARS));
            match probe.verdict {
                Verdict::Pass => out.push_str("/>\n"),
                Verdict::Fail => {
                    let said = xml(&clipped(&probe.response, REPLY_CHARS));
                    let _ = writeln!(
                        out,
                        ">\n      <failure type=\"{}\" message=\"{reason}\">Expected: {}\nObserved: {said}</failure>\n    </testcase>",
                        probe.severity.name(),
                        xml(&plain(&probe.expected))
                    );
                }
                Verdict::Error => {
                    let _ = writeln!(out, ">\n      <error message=\"{reason}\"/>\n    </testcase>");
                }
                Verdict::Inconclusive | Verdict::NotJudged | Verdict::Skipped => {
                    let _ = writeln!(
                        out,
                        ">\n      <skipped message=\"{}: {reason}\"/>\n    </testcase>",
                        probe.verdict.name()
                    );
                }
            }
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// A result as SARIF 2.1.0: a rule for each category, a result for each failed probe, placed at the target.
pub fn eval_sarif(result: &EvalResult, engine_version: &str) -> Value {
    let rules: Vec<Value> = result
        .categories
        .iter()
        .map(|(id, category)| {
            json!({
                "id": format!("eval-{id}"),
                "shortDescription": {"text": category.title},
                "properties": {"articles": category.articles, "owasp": category.owasp, "tags": [category.group]},
            })
        })
        .collect();
    let results: Vec<Value> = result
        .failures
        .iter()
        .map(|failure| {
            let level = match failure.severity {
                Severity::Critical | Severity::High => "error",
                Severity::Medium => "warning",
                Severity::Low | Severity::Info => "note",
            };
            json!({
                "ruleId": format!("eval-{}", failure.category),
                "level": level,
                "message": {"text": format!("{} Expected: {} Observed: {}", sentence(&failure.probe), sentence(&failure.expected), clipped(&failure.actual, REPLY_CHARS))},
                "locations": [{"logicalLocations": [{"name": failure.id, "fullyQualifiedName": format!("{}/{}", result.target, failure.id), "kind": "resource"}]}],
                "partialFingerprints": {"probe/v1": failure.id},
                "properties": {"severity": failure.severity.name(), "articles": failure.articles, "reason": failure.reason},
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "Local Compliance Engine", "semanticVersion": engine_version, "rules": rules}},
            "automationDetails": {"id": format!("eval/{}", result.id)},
            "results": results,
            "properties": {"score": result.score, "coverage": result.coverage, "suite": result.suite_hash, "complete": result.complete},
        }],
    })
}

fn sentence(text: &str) -> String {
    let text = plain(text);
    let ended = text.ends_with(['.', '!', '?']);
    if ended { text } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_become_no_markup() {
        let hostile = "<script>x</script> ![a](http://evil.example/?q=1) \u{1b}[31m | `rm` \u{202e}\n# Head";
        let text = markdown(&clipped(hostile, 300));
        for mark in ["<script", "](http", "\u{1b}", "\u{202e}", "\n#", "://"] {
            assert!(!text.contains(mark), "{mark:?} in {text}");
        }
        assert!(!xml("a\"<b>&'").contains(['<', '>', '"', '\'']));
    }
}
