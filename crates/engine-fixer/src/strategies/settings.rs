//! Settings: how long logs are kept, what a pipeline runs, which files stay out of version control.

#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use engine_model::{Ecosystem, Zone};
use engine_syntax::tree::Node;

use crate::code::{Code, children, descendants};
use crate::strategy::{Site, declare_strategy};
use crate::{Draft, NoFix};

declare_strategy! {
    /// Keeps logs for six months.
    ///
    /// The number is replaced by 180 days, in the unit of the setting: Amazon `CloudWatch` accepts 180 as a value.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- infra/logs.tf
    /// resource "aws_cloudwatch_log_group" "app" {
    ///   name              = "/ecs/helper"
    ///   retention_in_days = 30 # one month
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- infra/logs.tf
    /// resource "aws_cloudwatch_log_group" "app" {
    ///   name              = "/ecs/helper"
    ///   retention_in_days = 180 # one month
    /// }
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- ops/loki.yaml
    /// limits_config:
    ///   retention_period: 744h
    /// schema_config:
    ///   configs: []
    /// ```
    /// After:
    /// ```text
    /// //- ops/loki.yaml
    /// limits_config:
    ///   retention_period: 4320h
    /// schema_config:
    ///   configs: []
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- ops/helper.logrotate
    /// /var/log/helper/*.log {
    ///     weekly
    ///     rotate 4
    ///     compress
    /// }
    /// ```
    /// After:
    /// ```text
    /// //- ops/helper.logrotate
    /// /var/log/helper/*.log {
    ///     weekly
    ///     rotate 26
    ///     compress
    /// }
    /// ```
    LOG_RETENTION {
        id: "log-retention",
        checks: ["l1-short-log-retention"],
        kind: Config,
        languages: [],
        plan: retention,
    }
}

declare_strategy! {
    /// Runs the evaluation of the model in the existing pipeline.
    ///
    /// A promptfoo suite becomes a step of the job that runs the tests. A disabled evaluation step is enabled.
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- promptfooconfig.yaml
    /// prompts: [prompts/answer.txt]
    /// providers: [openai:gpt-4o]
    /// tests:
    ///   - vars: {question: a}
    ///     assert:
    ///       - type: contains
    ///         value: reason
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   lint:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: ruff check
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - uses: actions/checkout@v4
    ///       # all of them
    ///       - name: Tests
    ///         run: pytest
    ///
    /// # end
    /// ```
    /// After:
    /// ```text
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   lint:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: ruff check
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - uses: actions/checkout@v4
    ///       # all of them
    ///       - name: Tests
    ///         run: pytest
    ///       - name: Evaluate the model
    ///         run: npx promptfoo@latest eval
    ///         env:
    ///           OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}
    ///
    /// # end
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- evals/promptfooconfig.yaml
    /// prompts: [prompts/answer.txt]
    /// providers: [openai:gpt-4o]
    /// tests:
    ///   - vars: {question: a}
    ///     assert:
    ///       - type: contains
    ///         value: reason
    /// //- .gitlab-ci.yml
    /// test:
    ///   image: node:22
    ///   stage: test
    ///   script:
    ///     - npm ci
    ///     - npm test
    /// stages: [test]
    /// ```
    /// After:
    /// ```text
    /// //- .gitlab-ci.yml
    /// test:
    ///   image: node:22
    ///   stage: test
    ///   script:
    ///     - npm ci
    ///     - npm test
    ///     - npx promptfoo@latest eval -c evals/promptfooconfig.yaml
    /// stages: [test]
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   evaluation:
    ///     if: false
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: npx promptfoo eval
    /// ```
    /// After:
    /// ```text
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   evaluation:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: npx promptfoo eval
    /// ```
    ///
    /// Before:
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// client = OpenAI()
    ///
    /// def answer(question):
    ///     return client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": question}])
    ///
    /// if __name__ == "__main__":
    ///     print(answer(input()))
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: pytest
    ///       - if: ${{ false }}
    ///         run: npx promptfoo eval
    /// ```
    /// After:
    /// ```text
    /// //- .github/workflows/ci.yml
    /// on: push
    /// jobs:
    ///   test:
    ///     runs-on: ubuntu-latest
    ///     steps:
    ///       - run: pytest
    ///       - run: npx promptfoo eval
    /// ```
    EVALUATION_IN_PIPELINE {
        id: "evaluation-in-pipeline",
        checks: ["l1-evaluation-not-in-pipeline", "cross-evaluation-never-runs"],
        kind: Config,
        languages: [],
        plan: evaluation,
    }
}

declare_strategy! {
    /// Excludes a file of secrets from version control.
    ///
    /// Before:
    ///
    /// ```text
    /// //- app.py
    /// from openai import OpenAI
    ///
    /// print(OpenAI().responses.create(model="gpt-4.1-2025-04-14", input=input()).output_text)
    /// //- .env
    /// OPENAI_API_KEY=sk-proj-q8Zr2LwT5vN1xKc7Hb3M
    /// ```
    ///
    /// After:
    ///
    /// ```text
    /// //- .gitignore
    /// .env
    /// ```
    IGNORED_SECRETS_FILE {
        id: "ignored-secrets-file",
        checks: ["l1-committed-secrets-file"],
        kind: Config,
        languages: [],
        plan: ignored_file,
    }
}

// How long logs are kept.

/// Six months, as the check counts them.
const DAYS: u32 = 180;

fn retention(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let code = site.file()?;
    let (line, _) = site.place()?;
    let start = code.offset(line, 1).ok_or(NoFix::NoPlace)?;
    let end = code.next_line(start);
    let text = code.text.get(start..end).ok_or(NoFix::NoPlace)?;
    let what = site.finding.message.as_str();
    let (number, new) = if what.to_ascii_lowercase().starts_with("logrotate ") {
        rotated(&code, text)?
    } else if what.starts_with('`') {
        stated(text)?
    } else {
        (only_number(text)?, DAYS)
    };
    let old = text.get(number.clone()).unwrap_or("").to_owned();
    draft.replace(&code, start + number.start..start + number.end, &new.to_string());
    draft.describe(format!(
        "Keep these logs for at least {DAYS} days: {new} instead of {old}."
    ));
    draft.manual("Decide whether these are logs of the AI system, and whether the longer storage is worth its cost.");
    draft.manual(
        "If the logs contain personal data, check that this period fits your data protection rules, and update the documents that state it.",
    );
    if text.contains(['#']) || text.contains("//") {
        draft.manual("Update the comment on the line if it states the old period.");
    }
    Ok(())
}

/// The number of a setting such as `retention_period: 744h`, and the one to take its place.
fn stated(line: &str) -> Result<(Range<usize>, u32), NoFix> {
    let form = || NoFix::here("the period has a form that is not edited");
    let separator = line.find([':', '=']).ok_or_else(form)?;
    let key = line.get(..separator).unwrap_or("").to_ascii_lowercase();
    let value = line.get(separator + 1..).unwrap_or("");
    let skipped = value.len() - value.trim_start_matches([' ', '\t', '"', '\'', '=']).len();
    let start = separator + 1 + skipped;
    let rest = line.get(start..).unwrap_or("");
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err(form());
    }
    let after = rest.get(digits..).unwrap_or("");
    let unit: String = after
        .trim_start()
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    // `30.5`, `30-60`, `30 * 24`: more than one number.
    let tail = after.trim_start().get(unit.len()..).unwrap_or("").trim_start();
    if !tail.is_empty() && !tail.starts_with(['"', '\'', ',', ';', '#', '}', ']', '/']) {
        return Err(form());
    }
    let by_key = if key.contains("hour") {
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
    let unit = if unit.is_empty() { by_key } else { unit.as_str() };
    let new = match unit {
        "h" | "hour" | "hours" => DAYS * 24,
        "d" | "day" | "days" => DAYS,
        "w" | "week" | "weeks" => DAYS.div_ceil(7),
        "mo" | "month" | "months" => DAYS / 30,
        "y" | "year" | "years" => 1,
        _ => return Err(form()),
    };
    Ok((start..start + digits, new))
}

/// The count of `rotate 4`, by the period of the file.
fn rotated(code: &Code, line: &str) -> Result<(Range<usize>, u32), NoFix> {
    let has = |word: &str| code.text.lines().filter(|line| line.trim() == word).count();
    let rotations = code
        .text
        .lines()
        .filter(|line| line.trim().starts_with("rotate "))
        .count();
    let new = match (has("daily"), has("weekly"), has("monthly")) {
        (1, 0, 0) => DAYS,
        (0, 1, 0) => DAYS.div_ceil(7),
        (0, 0, 1) => DAYS / 30,
        _ => return Err(NoFix::here("the file rotates several logs with different periods")),
    };
    if rotations != 1 {
        return Err(NoFix::here("the file rotates several logs with different periods"));
    }
    Ok((only_number(line)?, new))
}

/// The one number of a line.
fn only_number(line: &str) -> Result<Range<usize>, NoFix> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, c) in line.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + c.len_utf8(),
            _ => found.push(at..at + c.len_utf8()),
        }
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        _ => Err(NoFix::here("the line has more than one number")),
    }
}

// What a pipeline runs.

fn evaluation(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    if site.finding.check_id == "cross-evaluation-never-runs" {
        return enable(site, draft);
    }
    let config = site.file()?;
    let root = config.root()?;
    let is_promptfoo = ["prompts", "providers"]
        .iter()
        .all(|key| value_at_top(&config, root, key).is_some());
    if !is_promptfoo {
        return Err(NoFix::here(
            "the file holds limits, and the program that checks them is not known: run that program in the pipeline",
        ));
    }
    let installed = site
        .inventory
        .packages
        .iter()
        .any(|package| package.ecosystem == Ecosystem::Npm && package.name == "promptfoo");
    let program = if installed {
        "npx promptfoo"
    } else {
        "npx promptfoo@latest"
    };
    if config.path.contains([' ', '"', '\'', '$']) {
        return Err(NoFix::here("the path of the suite needs quotes; add the step by hand"));
    }
    let command = match config.path.as_str() {
        "promptfooconfig.yaml" | "promptfooconfig.yml" => format!("{program} eval"),
        path => format!("{program} eval -c {path}"),
    };
    let job = test_job(site)?;
    let keys: Vec<&str> = KEYS
        .iter()
        .filter(|(provider, _)| config.text.contains(provider))
        .map(|(_, key)| *key)
        .collect();
    job.append(&command, &keys, draft);
    draft.describe(format!("Run `{command}` after the tests in `{}`.", job.code.path));
    if keys.is_empty() {
        draft.manual("Give the step the key of the provider, as a secret of the pipeline.");
    } else {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        draft.manual(format!("Store {} as a secret of the pipeline.", keys.join(" and ")));
    }
    draft.manual("Decide how often the evaluation runs: each run calls the model and costs money.");
    Ok(())
}

/// Prefixes of providers in a suite of promptfoo, with the variable that holds the key.
const KEYS: [(&str, &str); 9] = [
    ("openai:", "OPENAI_API_KEY"),
    ("anthropic:", "ANTHROPIC_API_KEY"),
    ("google:", "GOOGLE_API_KEY"),
    ("mistral:", "MISTRAL_API_KEY"),
    ("groq:", "GROQ_API_KEY"),
    ("deepseek:", "DEEPSEEK_API_KEY"),
    ("cohere:", "COHERE_API_KEY"),
    ("openrouter:", "OPENROUTER_API_KEY"),
    ("xai:", "XAI_API_KEY"),
];

/// A list of steps or commands at whose end another one is added.
struct Job {
    code: Rc<Code>,
    /// The place after the last line of the list.
    end: usize,
    /// The blanks before its entries.
    indent: String,
    of_github: bool,
}

impl Job {
    fn append(&self, command: &str, keys: &[&str], draft: &mut Draft) {
        let Self { code, indent, .. } = self;
        let mut lines = Vec::new();
        if self.of_github {
            lines.push("- name: Evaluate the model".to_owned());
            lines.push(format!("  run: {command}"));
            let mut missing = keys
                .iter()
                .filter(|key| !code.text.contains(&format!("secrets.{key} ")))
                .peekable();
            if missing.peek().is_some() {
                lines.push("  env:".to_owned());
            }
            lines.extend(missing.map(|key| format!("    {key}: ${{{{ secrets.{key} }}}}")));
        } else {
            lines.push(format!("- {command}"));
        }
        let text = lines
            .iter()
            .fold(String::new(), |text, line| text + indent + line + "\n");
        let whole = code.text.get(..self.end).is_some_and(|text| text.ends_with('\n'));
        let text = if whole {
            text
        } else {
            format!("\n{}", text.trim_end_matches('\n'))
        };
        draft.insert(code, self.end, &text);
    }
}

/// The value of a key of the outermost mapping.
fn value_at_top<'c>(code: &'c Code, root: Node<'c>, key: &str) -> Option<Node<'c>> {
    let mapping = descendants(root, |node| node.kind() == "block_mapping")
        .into_iter()
        .next()?;
    value_of(code, mapping, key)
}

/// The value of a key of a mapping.
fn value_of<'c>(code: &'c Code, mapping: Node<'c>, key: &str) -> Option<Node<'c>> {
    children(mapping)
        .into_iter()
        .filter(|node| node.kind() == "block_mapping_pair")
        .find(|pair| {
            pair.child_by_field_name("key")
                .is_some_and(|found| code.of_node(found).trim_matches(['"', '\'']) == key)
        })
        .and_then(|pair| pair.child_by_field_name("value"))
}

/// The mapping or list that a value is.
fn block<'c>(value: Node<'c>, kind: &str) -> Option<Node<'c>> {
    if value.kind() == kind {
        return Some(value);
    }
    children(value).into_iter().find(|node| node.kind() == kind)
}

/// Commands that run tests.
const TESTS: [&str; 16] = [
    "pytest",
    "npm test",
    "npm run test",
    "yarn test",
    "pnpm test",
    "pnpm run test",
    "vitest",
    "jest",
    "go test",
    "cargo test",
    "mvn test",
    "mvn verify",
    "gradlew test",
    "phpunit",
    "dotnet test",
    "rspec",
];

/// The one job of the pipelines that runs the tests.
fn test_job(site: &Site<'_>) -> Result<Job, NoFix> {
    let mut jobs = Vec::new();
    for path in site.paths {
        let of_github = path.starts_with(".github/workflows/");
        if !of_github && *path != ".gitlab-ci.yml" || !matches!(path.rsplit('.').next(), Some("yml" | "yaml")) {
            continue;
        }
        let code = site.code(path)?;
        let Ok(root) = code.root() else { continue };
        if of_github {
            let on = value_at_top(&code, root, "on").map_or("", |node| code.of_node(node));
            let runs = on.contains("push") || on.contains("pull_request");
            let list = value_at_top(&code, root, "jobs").and_then(|jobs| block(jobs, "block_mapping"));
            let Some(list) = list.filter(|_| runs) else { continue };
            for (key, value) in entries(&code, list) {
                collect(&code, &key, value, "steps", true, &mut jobs)?;
            }
        } else {
            let Some(top) = descendants(root, |node| node.kind() == "block_mapping")
                .into_iter()
                .next()
            else {
                continue;
            };
            for (key, value) in entries(&code, top) {
                collect(&code, &key, value, "script", false, &mut jobs)?;
            }
        }
    }
    match jobs.len() {
        0 => Err(NoFix::here(
            "no job of the pipeline that runs tests was found; add a step for the evaluation by hand",
        )),
        1 => jobs.pop().ok_or(NoFix::Unparsed),
        _ => Err(NoFix::here(
            "several jobs of the pipelines run tests; add a step for the evaluation to one of them",
        )),
    }
}

/// The entries of a mapping.
fn entries<'c>(code: &'c Code, mapping: Node<'c>) -> Vec<(String, Node<'c>)> {
    children(mapping)
        .into_iter()
        .filter(|node| node.kind() == "block_mapping_pair")
        .filter_map(|pair| {
            let key = code.of_node(pair.child_by_field_name("key")?).to_owned();
            Some((key, pair.child_by_field_name("value")?))
        })
        .collect()
}

/// Adds a job to the list if it runs tests.
fn collect(
    code: &Rc<Code>,
    key: &str,
    value: Node<'_>,
    steps: &str,
    of_github: bool,
    out: &mut Vec<Job>,
) -> Result<(), NoFix> {
    let Some(job) = block(value, "block_mapping") else {
        return Ok(());
    };
    let Some(items) = value_of(code, job, steps).and_then(|value| block(value, "block_sequence")) else {
        return Ok(());
    };
    let text = code.of_node(items);
    if key.starts_with('.') || !TESTS.iter().any(|command| text.contains(command)) {
        return Ok(());
    }
    let own = code.of_node(job);
    if own.contains("matrix:") {
        return Err(NoFix::here(
            "the job with the tests runs several times (matrix); add a separate job for the evaluation",
        ));
    }
    if code.text.contains("working-directory:") {
        return Err(NoFix::here("the jobs run in different folders; add the step by hand"));
    }
    if !of_github && !own.contains("node") {
        return Err(NoFix::here(
            "the image of the test job may lack Node.js, which promptfoo needs; add a job for it",
        ));
    }
    let last = children(items)
        .into_iter()
        .rfind(|node| node.kind() == "block_sequence_item")
        .ok_or(NoFix::Unparsed)?;
    let indent = code.indent(last.start_byte()).to_owned();
    out.push(Job {
        end: end_of_item(code, last, indent.len()),
        indent,
        code: Rc::clone(code),
        of_github,
    });
    Ok(())
}

/// The place after the last line of an entry of a list. Its node may reach over blank lines and comments behind it.
fn end_of_item(code: &Code, item: Node<'_>, indent: usize) -> usize {
    let mut end = code.next_line(item.start_byte());
    let mut at = end;
    while at < item.end_byte() {
        let next = code.next_line(at);
        let line = code.text.get(at..next).unwrap_or("");
        let column = line.len() - line.trim_start_matches(' ').len();
        if !line.trim().is_empty() && column > indent {
            end = next;
        }
        at = next;
    }
    end
}

/// Takes away the condition that never holds.
fn enable(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let code = site.file()?;
    let (line, _) = site.place()?;
    let start = code.offset(line, 1).ok_or(NoFix::NoPlace)?;
    let end = code.next_line(start);
    let text = code.text.get(start..end).ok_or(NoFix::NoPlace)?;
    let bare = text.trim().trim_start_matches("- ");
    let value: String = bare
        .strip_prefix("if:")
        .unwrap_or("")
        .chars()
        .filter(|c| !matches!(c, ' ' | '"' | '\'' | '$' | '{' | '}'))
        .collect();
    if value != "false" {
        return Err(NoFix::here(
            "the step runs a file that was not found, or a rule disables it: restore the file, or remove the step",
        ));
    }
    let dash = text.find("- ").filter(|_| text.trim_start().starts_with("- "));
    match dash {
        None => draft.replace(&code, start..end, ""),
        Some(dash) => {
            // The next key of the step moves up behind the dash.
            let next = code.text.get(end..).unwrap_or("");
            let blanks = next.len() - next.trim_start_matches(' ').len();
            if blanks != dash + 2 || next.trim_start().starts_with('#') {
                return Err(NoFix::here("the step has nothing but the condition that never holds"));
            }
            draft.replace(&code, start + dash + 2..end + blanks, "");
        }
    }
    draft.describe("Enable the evaluation step: take away the condition that never holds.");
    draft.manual("Find out why the step was disabled, and set thresholds below which it fails.");
    draft.manual(
        "Give the step the keys that it needs as secrets of the pipeline. Each run calls the model and costs money.",
    );
    Ok(())
}

// Which files stay out of version control.

/// What became of a rule to ignore a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ignore {
    /// It is there already.
    Known,
    /// It is added, or the file of rules is created.
    Added,
}

/// Adds rules for files to `.gitignore`, unless rules cover them already.
pub(super) fn ignore(site: &Site<'_>, draft: &mut Draft, files: &[&str]) -> Result<Ignore, NoFix> {
    const RULES: &str = ".gitignore";
    if !site.has(RULES) && matches!(site.code(RULES), Err(NoFix::Gone)) {
        let lines: BTreeSet<String> = files.iter().map(|file| format!("{}\n", rule_for(file))).collect();
        draft.create(RULES, lines.into_iter().collect::<String>());
        return Ok(Ignore::Added);
    }
    let code = site.code(RULES)?;
    let mut missing: BTreeSet<String> = BTreeSet::new();
    for file in files {
        // The last rule that matches a file decides.
        let covered = code.text.lines().rev().find_map(|line| {
            let line = line.trim_end();
            let (line, takes_back) = line.strip_prefix('!').map_or((line, false), |rest| (rest, true));
            covers(line, file).then_some(!takes_back)
        });
        match covered {
            Some(true) => {}
            Some(false) => {
                return Err(NoFix::here(format!(
                    "a rule of `{RULES}` brings `{file}` back on purpose; decide whether it must"
                )));
            }
            None => {
                missing.insert(rule_for(file));
            }
        }
    }
    if missing.is_empty() {
        return Ok(Ignore::Known);
    }
    let end = code.text.len();
    let mut text = missing.iter().fold(String::new(), |text, rule| text + rule + "\n");
    if end > 0 && !code.text.ends_with('\n') {
        text.insert(0, '\n');
    }
    draft.insert(&code, end, &text);
    Ok(Ignore::Added)
}

/// The rule for a file: a name such as `.env` is ignored in every folder, any other file where it is.
fn rule_for(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    if name.starts_with(".env") {
        name.to_owned()
    } else {
        format!("/{file}")
    }
}

/// Whether a simple rule matches a file.
fn covers(rule: &str, file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let rule = rule.strip_prefix("**/").unwrap_or(rule);
    let matches = |pattern: &str, text: &str| match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => {
            !after.contains('*')
                && text.len() >= before.len() + after.len()
                && text.starts_with(before)
                && text.ends_with(after)
        }
    };
    match rule.strip_prefix('/') {
        Some(from_root) => matches(from_root, file) && !(from_root.contains('*') && file.contains('/')),
        None if rule.contains('/') => matches(rule, file),
        None => !rule.is_empty() && !rule.starts_with('#') && matches(rule, name),
    }
}

fn ignored_file(site: &Site<'_>, draft: &mut Draft) -> Result<(), NoFix> {
    let mut files: BTreeSet<&str> = site
        .finding
        .evidence
        .iter()
        .filter_map(|evidence| evidence.file.as_deref())
        .collect();
    files.extend(site.finding.file.as_deref());
    if files.is_empty() {
        return Err(NoFix::NoPlace);
    }
    for file in &files {
        let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
        let is_sample = name
            .split(['.', '-', '_'])
            .any(|part| matches!(part, "example" | "examples" | "sample" | "template" | "dist" | "tmpl"));
        if is_sample {
            return Err(NoFix::here(format!(
                "`{file}` is a sample that is meant to be shared: replace its values by placeholders"
            )));
        }
        if site.code(file).is_ok_and(|code| code.zone != Zone::Product) {
            return Err(NoFix::here(format!("`{file}` is not a file of the product")));
        }
    }
    let listed: Vec<&str> = files.iter().copied().collect();
    let removal: Vec<String> = listed
        .iter()
        .take(6)
        .map(|file| format!("`git rm --cached {file}`"))
        .collect();
    if ignore(site, draft, &listed)? == Ignore::Known {
        return Err(NoFix::here(format!(
            "a rule of `.gitignore` matches the file already: take it out of version control with {}",
            removal.join(" and ")
        )));
    }
    let shown: Vec<String> = listed.iter().take(6).map(|file| format!("`{file}`")).collect();
    draft.describe(format!("Exclude {} from version control.", shown.join(", ")));
    draft.manual(format!(
        "If the file was committed, take it out with {}. It stays in the Git history.",
        removal.join(" and ")
    ));
    draft.manual("Revoke the keys in it at their providers and create new ones.");
    draft.safe();
    Ok(())
}
