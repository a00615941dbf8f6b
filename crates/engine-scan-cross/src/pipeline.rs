//! What pipelines, configuration and bills of materials say.

use std::collections::BTreeMap;
use std::ops::Range;

use engine_model::{Ecosystem, StatementKind};

use crate::patterns::pattern;
use crate::read::{Out, ends_in, number};

/// Components of one bill that are looked at.
const COMPONENTS_MAX: usize = 20_000;

pattern!(
    EVALUATES,
    r"\b(eval|evals|evaluate|evaluation|evaluations|promptfoo|deepeval|garak|pyrit|lm_eval|lm-eval|ragas|redteam|red-team)\b"
);
pattern!(OFF, r#"^(if|when):\s*["']?(\$\{\{\s*)?(false|never)(\s*\}\})?["']?$"#);
pattern!(
    RUNS_FILE,
    r"\b(?:python3?|node|bash|sh|npx tsx|npx ts-node|tsx|bun run|uv run|poetry run python)\s+(?:-[a-z]+\s+)?((?:\./)?[\w./-]+\.(?:py|js|mjs|ts|sh))\b"
);
pattern!(
    ACCESSIBILITY,
    r"\b(pa11y(-ci)?|axe|axe-core|@axe-core/\w+|lighthouse|lhci|wave|a11y)\b"
);
pattern!(
    SWITCH,
    r#"^\s*(?:-\s*)?(?:name:\s*)?(?:export\s+)?["']?(?:(?:\w*[_.-])?(?:ai|llm|assistant|chatbot|genai|copilot)[_.-]?(?:enabled|disabled|active|kill[_.-]?switch)|(?:enable|disable|feature|features|flag)s?[_.-]?(?:ai|llm|assistant|chatbot|genai|copilot)|\w*kill[_.-]?switch)["']?\s*[:=]"#
);
pattern!(
    UPLOADS,
    r"\b(huggingface-cli|hf) upload\b|\bpush_to_hub\b|\bhuggingface/hub-sync\b"
);
pattern!(
    PUBLIC,
    r#"acl\s*=\s*"public-read|"allUsers"|"allAuthenticatedUsers"|public_access\s*=\s*"(blob|container)""#
);
pattern!(WEIGHTS_STORE, r"model|weight|checkpoint");

/// Reads YAML, TOML, environment samples, properties and Terraform.
pub(crate) fn configuration(path: &str, text: &str, out: &mut Out<'_>) {
    let lower_path = path.to_ascii_lowercase();
    if ends_in(path, &["tf"]) {
        public_storage(text, out);
        return;
    }
    let lines: Vec<&str> = text.lines().collect();
    if is_pipeline(&lower_path, text) {
        steps(&lines, out);
        return;
    }
    for (index, line) in lines.iter().enumerate() {
        if line.len() < 300 && !line.trim_start().starts_with('#') && SWITCH.is_match(&line.to_ascii_lowercase()) {
            out.say(StatementKind::StopSwitch, number(index), "");
            return;
        }
    }
}

fn is_pipeline(path: &str, text: &str) -> bool {
    let place = path.contains(".github/workflows/")
        || path.ends_with(".gitlab-ci.yml")
        || path.contains("azure-pipelines")
        || path.contains(".circleci/");
    place && (text.contains("jobs:") || text.contains("script:") || text.contains("steps:"))
}

fn steps(lines: &[&str], out: &mut Out<'_>) {
    let mut blocks = Blocks::new(lines);
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.is_empty() {
            continue;
        }
        let lower = trimmed.to_lowercase();
        let bare = lower.trim_start_matches("- ");
        if OFF.is_match(bare) && blocks.evaluates(index) {
            out.say(StatementKind::EvaluationDisabled, number(index), "");
        }
        if EVALUATES.is_match(&lower) {
            for found in RUNS_FILE.captures_iter(trimmed).take(4) {
                let file = found[1].trim_start_matches("./");
                if EVALUATES.is_match(&file.to_lowercase().replace(['_', '/', '.'], " ")) {
                    out.say(StatementKind::EvaluationFile, number(index), file);
                }
            }
        }
        if ACCESSIBILITY.is_match(&lower) {
            out.say(StatementKind::AccessibilityTest, number(index), "");
        }
        if UPLOADS.is_match(&lower) {
            out.say(StatementKind::WeightsPublished, number(index), "");
        }
    }
}

/// The blocks of a pipeline by indentation. Each line is matched once, and each block is searched once.
struct Blocks<'l> {
    lines: &'l [&'l str],
    /// Whether each line evaluates a model; built for the first step that is switched off.
    evaluating: Vec<bool>,
    /// For each column the last block that was searched, and whether a line in it evaluates a model.
    known: BTreeMap<usize, (Range<usize>, bool)>,
}

impl<'l> Blocks<'l> {
    fn new(lines: &'l [&'l str]) -> Self {
        Self {
            lines,
            evaluating: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// Whether a line of the block around a key evaluates a model.
    fn evaluates(&mut self, index: usize) -> bool {
        let own = column(self.lines[index]);
        if let Some((block, evaluates)) = self.known.get(&own)
            && block.contains(&index)
        {
            return *evaluates;
        }
        if self.evaluating.is_empty() {
            let matches = |line: &&str| EVALUATES.is_match(&line.to_lowercase());
            self.evaluating = self.lines.iter().map(matches).collect();
        }
        let block = self.around(index, own);
        let evaluates = self.evaluating[block.clone()].contains(&true);
        self.known.insert(own, (block, evaluates));
        evaluates
    }

    /// The lines that belong to the same step or job as a key: those that are indented at least as far, around it.
    fn around(&self, index: usize, own: usize) -> Range<usize> {
        let lines = self.lines;
        let inside = |line: &str| line.trim().is_empty() || column(line) >= own;
        let first_of_step = |line: &str| line.trim_start().starts_with("- ") && column(line) == own;
        let mut start = index;
        while start > 0 && inside(lines[start - 1]) && !first_of_step(lines[start]) {
            start -= 1;
        }
        let mut end = index + 1;
        while end < lines.len() && inside(lines[end]) && !first_of_step(lines[end]) {
            end += 1;
        }
        start..end
    }
}

/// The column of the first character of a line that is neither a space nor a dash.
fn column(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-']).len()
}

/// A bucket that everybody can read, in a file that keeps weights.
fn public_storage(text: &str, out: &mut Out<'_>) {
    let mut resource: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.starts_with("//") {
            continue;
        }
        if trimmed.starts_with("resource \"") {
            resource = Some(trimmed);
        }
        let named = resource.is_some_and(|name| WEIGHTS_STORE.is_match(name));
        if PUBLIC.is_match(trimmed) && (named || WEIGHTS_STORE.is_match(trimmed)) {
            out.say(StatementKind::PublicStorage, number(index), "");
        }
    }
}

/// Reads a bill of materials in `CycloneDX` or `SPDX`, and which AI packages and models it lists.
pub(crate) fn bill(text: &str, out: &mut Out<'_>) {
    let head = &text[..floor(text, 4000)];
    let format = if head.contains("\"bomFormat\"") && head.contains("CycloneDX") {
        "CycloneDX"
    } else if head.contains("\"spdxVersion\"") {
        "SPDX"
    } else {
        return;
    };
    let models = text.contains("\"machine-learning-model\"");
    let mark = |text: &str| text.contains("\"bomFormat\"") || text.contains("\"spdxVersion\"");
    let mut seen = 0;
    for (index, line) in text.lines().enumerate() {
        if mark(line) {
            let value = if models {
                format!("{format} with models")
            } else {
                format.to_owned()
            };
            out.say(StatementKind::BillOfMaterials, number(index), value);
        }
        for (at, _) in line.match_indices("\"purl\"") {
            seen += 1;
            if let Some(name) = string_after(&line[at + 6..]).and_then(name_of_purl)
                && seen <= COMPONENTS_MAX
                && known_package(&name)
            {
                out.say(StatementKind::Component, number(index), name);
            }
        }
        for (at, _) in line.match_indices("\"name\"") {
            seen += 1;
            if seen > COMPONENTS_MAX {
                return;
            }
            let Some(value) = string_after(&line[at + 6..]) else {
                continue;
            };
            let package = known_package(value);
            let model = value.contains(|c: char| c.is_ascii_digit()) && engine_catalogue::model(value).is_some();
            if package || model {
                out.say(StatementKind::Component, number(index), value);
            }
        }
    }
}

fn known_package(name: &str) -> bool {
    Ecosystem::ALL
        .iter()
        .any(|ecosystem| engine_catalogue::package(*ecosystem, name).is_some())
}

/// The name that a registry uses, from a package URL: `pkg:npm/%40scope/name@1` is `@scope/name`.
fn name_of_purl(purl: &str) -> Option<String> {
    let (kind, rest) = purl.strip_prefix("pkg:")?.split_once('/')?;
    let rest = rest.split(['?', '#']).next()?.replace("%40", "@").replace("%2F", "/");
    let path = match rest.rfind('@') {
        Some(at) if at > 0 => &rest[..at],
        _ => rest.as_str(),
    };
    Some(if kind == "maven" {
        path.replacen('/', ":", 1)
    } else {
        path.to_owned()
    })
}

/// The text that follows a key: `: "value"`.
fn string_after(rest: &str) -> Option<&str> {
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let end = rest.find('"')?;
    rest.get(..end)
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
