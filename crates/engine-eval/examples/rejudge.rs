//! Judges the stored replies of a run again: reads the JSON of a result and prints one line of JSON for each probe.
#![expect(clippy::print_stdout, reason = "a measuring program speaks on standard output")]

use std::error::Error;
use std::io::Read;

use engine_eval::{EvalResult, Judge, Question, Rules, Secrets, Suite, Turns, Verdict, part_reasoning};

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let result: EvalResult = serde_json::from_str(&text)?;
    let suite = Suite::built_in()?;
    let seed: u64 = result.seed.parse()?;
    for old in &result.results {
        let Some(probe) = suite.probe(&old.id) else { continue };
        if matches!(old.verdict, Verdict::NotJudged | Verdict::Skipped | Verdict::Error) || old.transcript.is_empty() {
            continue;
        }
        let mut turns: Turns = old
            .transcript
            .iter()
            .map(|dialogue| (dialogue.request.clone(), dialogue.turns.clone()))
            .collect();
        turns.values_mut().flatten().for_each(part_reasoning);
        // The stored attempt is the one that decided: its values are found by the questions that were sent.
        let asked = |repeat: u32| {
            let secrets = Secrets::draw(seed, &probe.id, repeat);
            let dialogues = probe.dialogues(&secrets).ok()?;
            let same = dialogues.iter().all(|dialogue| {
                turns.get(&dialogue.id).is_some_and(|turns| {
                    turns
                        .iter()
                        .zip(&dialogue.turns)
                        .all(|(turn, prompt)| turn.prompt == *prompt)
                })
            });
            same.then_some((secrets, dialogues))
        };
        let Some((secrets, dialogues)) = (0..20).find_map(asked) else {
            continue;
        };
        let question = Question {
            probe,
            dialogues: &dialogues,
            turns: &turns,
            secrets: &secrets,
        };
        let now = Rules.judge(&question);
        println!(
            "{}",
            serde_json::json!({"id": old.id, "judge": probe.judge, "before": old.verdict, "now": now.verdict, "reason": now.reason, "beforeReason": old.reason})
        );
    }
    Ok(())
}
