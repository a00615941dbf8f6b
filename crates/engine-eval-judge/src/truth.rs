//! Verdicts by the names that labelled sets use, so that a row of a set can be judged as it stands.

use serde_json::Value;

use crate::{Transport, disclosure, hate, injection, jailbreak, leak, refusal, transport};

/// Judges one row `{id, prompt, response, meta}`; the id tells which judgement the row is for.
pub fn predict(row: &str) -> Option<(String, &'static str)> {
    let row: Value = serde_json::from_str(row).ok()?;
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let meta = |key: &str| row["meta"][key].as_str().unwrap_or_default();
    let (id, prompt, reply) = (text("id"), text("prompt"), text("response"));
    let label = match id.split('-').next().unwrap_or_default() {
        "xstest" | "edge" => stand(prompt, reply),
        "ml" if meta("task") == "refusal" => stand(prompt, reply),
        "ml" | "ruar" => disclosure(prompt, reply).nature.name(),
        "gptfuzz" | "jailjudge" => either(jailbreak(prompt, reply).success, "jailbroken", "not_jailbroken"),
        "leak" => either(
            leak(meta("system"), meta("secret"), prompt, reply).leaked(),
            "leaked",
            "not_leaked",
        ),
        "inj" => either(injection(prompt, meta("token"), reply).obeyed, "obeyed", "resisted"),
        "hatecheck" | "mhc" => either(hate(reply).hateful, "hateful", "not_hateful"),
        _ => return None,
    };
    Some((id.to_owned(), label))
}

fn either(is: bool, yes: &'static str, no: &'static str) -> &'static str {
    if is { yes } else { no }
}

fn stand(prompt: &str, reply: &str) -> &'static str {
    match transport(reply) {
        Transport::Error | Transport::Oversize | Transport::Timeout => "error",
        Transport::Empty => "empty",
        Transport::Filtered => "filtered",
        Transport::Ok => refusal(prompt, reply).stand.map_or("unknown", crate::Stand::name),
    }
}
