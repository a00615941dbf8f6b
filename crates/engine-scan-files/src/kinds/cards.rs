//! Cards of models and data sets, evaluations, and data under version control.

use engine_model::{ArtefactKind, Language};

use crate::read::Candidate;
use crate::view::{View, candidate};

/// How the note on a model card begins that nobody has filled in.
pub(crate) const TEMPLATE: &str = "a template:";
/// What the note on an evaluation says that has pre-set limits.
pub(crate) const THRESHOLD: &str = "with thresholds";

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    if let Some((line, because)) = data_card(view) {
        out.push(candidate(ArtefactKind::DataCard, line, because));
    } else if let Some((line, because)) = model_card(view) {
        out.push(candidate(ArtefactKind::ModelCard, line, because));
    }
    if let Some((line, because)) = evaluation(view) {
        out.push(candidate(ArtefactKind::Evaluation, line, because));
    }
    if let Some((line, because)) = data_versioning(view) {
        out.push(candidate(ArtefactKind::DataVersioning, line, because));
    }
}

/// The front matter of a Markdown file, in lower case.
fn front_matter<'a>(view: &'a View<'_>) -> Option<&'a [String]> {
    if !view.is_markup() || view.lines.first().map(|line| line.trim_end()) != Some("---") {
        return None;
    }
    let end = view
        .lines
        .iter()
        .skip(1)
        .take(400)
        .position(|line| line.trim_end() == "---")?;
    view.lines.get(1..=end)
}

/// Headings of the customary model card.
const MODEL_HEADINGS: &[&str] = &[
    "model details",
    "model description",
    "intended use",
    "intended uses",
    "uses",
    "out-of-scope use",
    "training data",
    "training details",
    "training procedure",
    "evaluation",
    "evaluation data",
    "quantitative analyses",
    "limitations",
    "bias, risks",
    "ethical considerations",
    "environmental impact",
    "caveats and recommendations",
    "factors",
    "metrics",
    "how to get started with the model",
];
/// Headings of the customary card of a data set.
const DATA_HEADINGS: &[&str] = &[
    "dataset details",
    "dataset description",
    "dataset summary",
    "dataset structure",
    "data fields",
    "data splits",
    "data instances",
    "dataset creation",
    "curation rationale",
    "source data",
    "annotations",
    "annotation process",
    "personal and sensitive information",
    "social impact of dataset",
    "considerations for using the data",
    "composition",
    "collection process",
    "preprocessing/cleaning/labeling",
    "recommended uses",
];
/// Places without content from which a card is called a template.
const UNFILLED_MIN: usize = 5;

fn model_card(view: &View<'_>) -> Option<(u32, String)> {
    if !view.is_markup() {
        return None;
    }
    let front = front_matter(view).is_some_and(|front| {
        let has = |key: &str| front.iter().any(|line| line.starts_with(key));
        has("pipeline_tag:")
            || has("base_model:")
            || has("model-index:")
            || has("library_name:") && (has("license:") || has("tags:"))
    });
    let matched = matching(view, MODEL_HEADINGS);
    let title = view
        .headings()
        .next()
        .filter(|(heading, _)| heading.contains("model card"));
    let details = view.headings().any(|(heading, _)| heading.starts_with("model "));
    let line = title.map_or_else(|| view.headings().next().map_or(1, |(_, line)| line), |(_, line)| line);
    if !(front && (matched >= 1 || view.lower.split_whitespace().nth(60).is_some())
        || title.is_some() && matched >= 2
        || matched >= 4 && details)
    {
        return None;
    }
    let unfilled = ["[more information needed]", "[needs more information]", "tbd"]
        .iter()
        .map(|mark| view.lower.matches(mark).count())
        .sum::<usize>();
    if unfilled >= UNFILLED_MIN {
        return Some((line, format!("{TEMPLATE} {unfilled} placeholders are not filled in")));
    }
    Some((
        line,
        if front {
            "front matter of a model card".to_owned()
        } else {
            format!("{matched} headings of a model card")
        },
    ))
}

fn data_card(view: &View<'_>) -> Option<(u32, String)> {
    if view.language == Language::Json {
        let line = view.line_with("mlcommons.org/croissant")?;
        return Some((line, "a data set description in Croissant format".to_owned()));
    }
    if !view.is_markup() {
        return None;
    }
    let front = front_matter(view).is_some_and(|front| {
        [
            "dataset_info:",
            "task_categories:",
            "annotations_creators:",
            "size_categories:",
        ]
        .iter()
        .any(|key| front.iter().any(|line| line.starts_with(key)))
    });
    let matched = matching(view, DATA_HEADINGS);
    let title = view.headings().next().is_some_and(|(heading, _)| {
        ["dataset card", "data card", "datasheet", "data sheet for", "datenblatt"]
            .iter()
            .any(|word| heading.contains(word))
    });
    let line = view.headings().next().map_or(1, |(_, line)| line);
    let unfilled = view.lower.matches("[more information needed]").count();
    (unfilled < UNFILLED_MIN
        && (front && view.lower.split_whitespace().nth(60).is_some() || title && matched >= 2 || matched >= 4))
        .then(|| {
            (
                line,
                if front {
                    "front matter of a data card".to_owned()
                } else {
                    format!("{matched} headings of a data card")
                },
            )
        })
}

fn matching(view: &View<'_>, known: &[&str]) -> usize {
    known
        .iter()
        .filter(|known| {
            view.headings().any(|(heading, _)| {
                heading == **known
                    || heading.starts_with(&format!("{known} "))
                    || heading.starts_with(&format!("{known},"))
            })
        })
        .count()
}

/// Names of measured figures.
const METRICS: &[&str] = &[
    "accuracy",
    "f1",
    "f1_score",
    "f1-score",
    "precision",
    "recall",
    "bleu",
    "rouge",
    "rougel",
    "auc",
    "roc_auc",
    "exact_match",
    "faithfulness",
    "answer_relevancy",
    "pass_rate",
    "acc",
    "acc_norm",
];

fn evaluation(view: &View<'_>) -> Option<(u32, String)> {
    match view.language {
        Language::Yaml => {
            if view.has_key("prompts")
                && view.has_key("providers")
                && (view.has_key("tests") || view.has_key("scenarios") || view.has_key("redteam"))
            {
                let limits = view.has("threshold:") || view.has("assert:");
                let line = if view.has_key("tests") {
                    view.key_line("tests")
                } else {
                    view.key_line("providers")
                };
                let because = if limits {
                    format!("a promptfoo suite {THRESHOLD}")
                } else {
                    "a promptfoo suite without assertions".to_owned()
                };
                return Some((line, because));
            }
            if view.has_key("dataset_path") && view.has_key("metric_list") {
                return Some((view.key_line("metric_list"), "an evaluation harness task".to_owned()));
            }
            if let Some(line) = view.line_where(|line| line.trim_start().starts_with("class: evals.")) {
                return Some((line, "a registered evaluation".to_owned()));
            }
            let thresholds = view
                .keys
                .iter()
                .find(|(key, _)| matches!(key.as_str(), "thresholds" | "eval_thresholds" | "quality_gates"));
            let metrics = METRICS
                .iter()
                .filter(|metric| {
                    view.lower.contains(**metric) && view.line_where(|line| names_figure(line, metric)).is_some()
                })
                .count();
            thresholds
                .filter(|_| metrics >= 1)
                .map(|(_, line)| (*line, format!("metrics {THRESHOLD}")))
        }
        Language::Json => {
            let mut lines: Vec<u32> = METRICS
                .iter()
                .filter(|metric| view.lower.contains(**metric))
                .filter_map(|metric| view.line_where(|line| names_figure(line, metric)))
                .collect();
            lines.sort_unstable();
            if lines.len() < 2 {
                return None;
            }
            let limits = view.has("threshold") || view.has("\"min_");
            Some((
                lines[0],
                if limits {
                    format!("metrics {THRESHOLD}")
                } else {
                    "measured model metrics".to_owned()
                },
            ))
        }
        _ => None,
    }
}

/// `"accuracy": 0.91` or `accuracy: 0.91`.
fn names_figure(line: &str, metric: &str) -> bool {
    line.match_indices(metric).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + metric.len()..].trim_start_matches(['"', '\'']).trim_start();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
            && after
                .strip_prefix(':')
                .is_some_and(|value| value.trim_start().starts_with(|c: char| c.is_ascii_digit()))
    })
}

fn data_versioning(view: &View<'_>) -> Option<(u32, &'static str)> {
    if view.name == ".gitattributes" {
        return view
            .line_with("filter=lfs")
            .map(|line| (line, "large files under version control"));
    }
    if view.has_key("outs") && (view.has("md5:") || view.has("hash:")) && !view.has_key("jobs") {
        return Some((view.key_line("outs"), "data tracked by DVC"));
    }
    if view.has_key("stages") && view.has("cmd:") && (view.has("deps:") || view.has("outs:")) && !view.has("script:") {
        return Some((view.key_line("stages"), "a DVC pipeline"));
    }
    if view.language == Language::Other && view.path.ends_with(".dvc/config") {
        return view.line_with("remote").map(|line| (line, "a DVC remote"));
    }
    None
}
