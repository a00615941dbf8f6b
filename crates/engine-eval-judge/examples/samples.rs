//! Judges sample replies given as JSON lines `{id, kind, params, requests, replies, want}` and prints what differs.
#![expect(clippy::print_stdout, reason = "a measuring program speaks on standard output")]

use std::collections::BTreeMap;
use std::io::BufRead;

use engine_eval_judge::{Replies, Request, evaluate};
use serde_json::Value;

fn main() {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(row) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let kind = row["kind"].as_str().unwrap_or_default();
        let requests: Vec<Request> = serde_json::from_value(row["requests"].clone()).unwrap_or_default();
        let replies: Replies = serde_json::from_value(row["replies"].clone()).unwrap_or_default();
        let outcome = evaluate(kind, &row["params"], &requests, &replies);
        let got = serde_json::to_value(outcome.verdict).unwrap_or_default();
        let count = counts.entry(kind.to_owned()).or_default();
        count.1 += 1;
        if got == row["want"] {
            count.0 += 1;
        } else {
            println!(
                "{kind}\t{}\twant {}\tgot {got}\t{}",
                row["id"],
                row["want"],
                outcome.reasons.join(" | ")
            );
        }
    }
    for (kind, (right, all)) in counts {
        println!("# {kind} {right}/{all}");
    }
}
