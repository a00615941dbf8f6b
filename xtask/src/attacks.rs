//! The attack suite as a whole: every group, its slow cases too, and the sum of cases and successes.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::root;

/// `cargo xtask attacks [BINARY]`.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    command
        .current_dir(root())
        .args(["test", "--locked", "-p", "engine-server", "--test", "it"])
        // One after the other: floods and growth would disturb the others.
        .args([
            "--",
            "--include-ignored",
            "--nocapture",
            "--test-threads",
            "1",
            "attacks::",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    match arguments {
        [] => {}
        [binary] => {
            let binary = std::fs::canonicalize(binary).with_context(|| format!("cannot find {binary}"))?;
            command.env("ATTACK_BINARY", binary);
        }
        _ => bail!("give at most one binary"),
    }
    let output = command.output().context("cannot start cargo")?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    print!("{text}");
    let (mut cases, mut successes, mut groups) = (0, 0, 0);
    for (more, won) in text.lines().filter_map(counts) {
        cases += more;
        successes += won;
        groups += 1;
    }
    println!("== {groups} groups: {cases} cases, {successes} successes");
    if !output.status.success() || successes > 0 || cases == 0 {
        bail!("the suite did not hold");
    }
    Ok(())
}

/// Cases and successes in a line such as `imports: 12 cases, 0 successes`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let rest = line.strip_suffix(" successes")?;
    let (rest, successes) = rest.rsplit_once(" cases, ")?;
    let (_, cases) = rest.rsplit_once(": ")?;
    Some((cases.parse().ok()?, successes.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn only_lines_of_groups_count() {
        assert_eq!(counts("special state files: 75 cases, 2 successes"), Some((75, 2)));
        assert_eq!(counts("test attacks::files ... ok"), None);
        assert_eq!(counts("x: y cases, z successes"), None);
    }
}
