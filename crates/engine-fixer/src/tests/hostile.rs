//! Foreign files never make a plan panic, and every plan leaves a file that parses as before.

use engine_model::{FindingType, fixture};

use super::{applied, plan_of, scan};
use crate::STRATEGIES;

/// A small generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (end.max(1) as u64)).unwrap_or(0)
    }
}

/// Text that breaks nesting, literals, encodings and line ends.
const PIECES: [&str; 16] = [
    "\"",
    "'",
    "`",
    "{",
    "}",
    "(",
    ")",
    "\n",
    "\r\n",
    "\t",
    "\u{feff}",
    "é\u{301}",
    "'''",
    "<!--",
    "#{",
    "\\",
];

fn mutated(tree: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<String> = tree.lines().map(str::to_owned).collect();
    for _ in 0..=dice.below(4) {
        let at = dice.below(lines.len());
        let Some(line) = lines.get_mut(at).filter(|line| !line.starts_with("//- ")) else {
            continue;
        };
        match dice.below(4) {
            0 => line.clear(),
            1 => {
                let keep = dice.below(line.chars().count());
                *line = line.chars().take(keep).collect();
            }
            _ => {
                let column = dice.below(line.chars().count() + 1);
                let at = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
                line.insert_str(at, PIECES[dice.below(PIECES.len())]);
            }
        }
    }
    let ending = if dice.below(3) == 0 { "\r\n" } else { "\n" };
    let text: Vec<String> = lines
        .iter()
        .map(|line| {
            if line.starts_with("//- ") {
                format!("{line}\n")
            } else {
                format!("{line}{ending}")
            }
        })
        .collect();
    text.concat()
}

fn broken_files(rounds: usize) {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut plans = 0;
    for strategy in STRATEGIES {
        for example in strategy.examples() {
            for _ in 0..rounds {
                let text = mutated(&engine_scan_secrets::expand_examples(&example.before), &mut dice);
                let Ok(tree) = fixture(&text) else { continue };
                let evaluation = scan(&tree, None);
                for finding in evaluation
                    .findings
                    .iter()
                    .filter(|finding| finding.kind != FindingType::Pass)
                {
                    if let Ok(plan) = plan_of(&tree, &evaluation, finding) {
                        plans += 1;
                        applied(&tree, &plan);
                    }
                }
            }
        }
    }
    assert!(plans > 0);
}

#[test]
fn no_broken_file_makes_a_plan_panic() {
    broken_files(2);
}

#[test]
#[ignore = "slow: a hundred broken forms of every example"]
fn no_broken_file_of_many_makes_a_plan_panic() {
    broken_files(100);
}

#[test]
fn line_ends_and_the_byte_order_mark_are_kept() {
    let mut kept = 0;
    for strategy in STRATEGIES {
        for example in strategy.examples() {
            let text = engine_scan_secrets::expand_examples(&example.before);
            let Ok(written) = fixture(&text) else { continue };
            let mut tree = written.clone();
            for file in written.files().filter(|file| file.text().is_some()) {
                let marked = [b"\xEF\xBB\xBF", file.text().unwrap().replace('\n', "\r\n").as_bytes()].concat();
                tree.insert(file.path.to_string(), marked);
            }
            let evaluation = scan(&tree, None);
            for open in evaluation
                .findings
                .iter()
                .filter(|f| f.kind != FindingType::Pass && strategy.checks.contains(&f.check_id.as_str()))
            {
                let Ok(plan) = plan_of(&tree, &evaluation, open) else {
                    continue;
                };
                let after = applied(&tree, &plan);
                for change in plan.files.iter().filter(|change| change.before.is_some()) {
                    use engine_model::SourceText;
                    let file = after.file(&change.path).unwrap();
                    assert!(
                        file.bytes.starts_with(b"\xEF\xBB\xBF"),
                        "{}: {}",
                        strategy.id,
                        change.path
                    );
                    let text = file.text().unwrap();
                    assert_eq!(
                        text.matches('\n').count(),
                        text.matches("\r\n").count(),
                        "{}: {}\n{text:?}",
                        strategy.id,
                        change.path
                    );
                    kept += 1;
                }
            }
        }
    }
    assert!(kept > 10, "{kept}");
}
