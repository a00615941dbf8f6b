//! Reads rows of labelled sets from standard input and writes one prediction for each.
#![expect(clippy::print_stdout, reason = "a measuring program speaks on standard output")]

use std::io::BufRead;

use engine_eval_judge::{jailbreak, truth};

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if let Some((id, label)) = truth::predict(&line) {
            let row: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            let score = if label.contains("jailbroken") {
                jailbreak(
                    row["prompt"].as_str().unwrap_or_default(),
                    row["response"].as_str().unwrap_or_default(),
                )
                .score
            } else {
                0.0
            };
            println!("{}", serde_json::json!({ "id": id, "label": label, "score": score }));
        }
    }
}
