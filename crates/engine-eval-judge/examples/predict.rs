//! Reads rows of labelled sets from standard input and writes one prediction for each.
#![expect(clippy::print_stdout, reason = "a measuring program speaks on standard output")]

use std::io::BufRead;

use engine_eval_judge::truth;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if let Some((id, label)) = truth::predict(&line) {
            println!("{}", serde_json::json!({ "id": id, "label": label }));
        }
    }
}
