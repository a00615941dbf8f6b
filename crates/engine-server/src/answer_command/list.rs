//! The list of open questions, for people and for programs.

use engine_model::{Applicability, Question, QuestionOption, ScanResult, System};
use engine_report::{TextOptions, paragraph};
use serde_json::{Value, json};

use super::asked::{OPTIONS_WITH_EFFECT_MAX, about, effect_of, effects_once, is_computed, is_statement};
use super::session::undetermined;
use super::talk::count;
use crate::command::shell_word;

/// The open questions as JSON.
pub(super) fn json(scan: &ScanResult, open: &[(System, Question)]) -> Value {
    let questions: Vec<Value> = open
        .iter()
        .enumerate()
        .map(|(index, (system, question))| {
            let mut value = json!(question);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("number".to_owned(), json!(format!("Q{}", index + 1)));
                fields.insert("system".to_owned(), json!(system.id));
                fields.insert("systemName".to_owned(), json!(system.name));
            }
            value
        })
        .collect();
    json!({
        "projectPath": scan.project_path,
        "asOf": scan.as_of,
        "profile": scan.profile,
        "open": open.len(),
        "undetermined": undetermined(scan),
        "questions": questions,
    })
}

/// The open questions as text.
pub(super) fn text(scan: &ScanResult, open: &[(System, Question)], path: &str, layout: &TextOptions) -> String {
    let mut text = String::new();
    let mut line = |first: usize, hang: usize, bold: bool, words: &str| {
        text.push_str(&paragraph(words, first, hang, bold, layout));
    };
    if scan.systems.is_empty() {
        let reason = scan.applicability_reason.trim_end_matches('.');
        let standing = if scan.applicability == Applicability::Undetermined {
            "Could not determine whether the project has an AI system, so no question is open."
        } else {
            "No AI system was found, so there is nothing to answer."
        };
        line(0, 0, false, standing);
        line(0, 0, false, &format!("Reason: {reason}."));
        return text;
    }
    line(0, 0, false, &super::standing(open.len() as u64, undetermined(scan)));
    for (index, (system, question)) in open.iter().enumerate() {
        line(0, 0, false, "");
        let head = format!(
            "Q{} {} ({}, {}, decides {})",
            index + 1,
            question.key,
            about(system, question),
            question.status,
            count(question.decides, "obligation")
        );
        line(0, 4, true, &head);
        line(4, 4, false, &format!("{} ({})", question.text, question.provision));
        if let Some(suggestion) = &question.suggestion {
            let because = suggestion.because.trim_end_matches('.');
            line(
                4,
                6,
                false,
                &format!("Likely: {}, because {because}.", suggestion.value),
            );
        }
        let each = !is_statement(question) && question.options.len() <= OPTIONS_WITH_EFFECT_MAX;
        for option in &question.options {
            let effect = if each && is_computed(question, option) {
                format!(": {}", effect_of(option))
            } else {
                String::new()
            };
            line(4, 6, false, &format!("{} = {}{effect}", option.value, option.label));
        }
        match question.kind.as_str() {
            "date" => line(4, 6, false, "a date such as 2026-03-01, or not-yet"),
            "text" => line(4, 6, false, "any text"),
            _ => {}
        }
        line(4, 6, false, "unknown = I do not know");
        if is_statement(question) {
            line(4, 6, false, &format!("What it changes: {}", question.effect));
        } else if !each {
            let options: Vec<(&str, &QuestionOption)> = question
                .options
                .iter()
                .map(|option| (option.value.as_str(), option))
                .collect();
            line(4, 6, false, "What it changes:");
            for (effect, values) in effects_once(question, &options) {
                line(6, 8, false, &format!("{}: {effect}", values.join(", ")));
            }
        }
        let command = question.command.replacen(
            "engine-server answer . ",
            &format!("engine-server answer {} ", shell_word(path)),
            1,
        );
        line(4, 6, false, &format!("Example: {command}"));
    }
    text.push('\n');
    text
}
