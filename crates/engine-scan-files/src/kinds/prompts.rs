//! Prompts that are kept as files.

use engine_model::{ArtefactKind, Language};

use crate::read::Candidate;
use crate::view::{View, candidate, number};

/// How a text begins that gives a model its part, in lower case.
const PARTS: &[&str] = &[
    "you are a ",
    "you are an ",
    "you are the ",
    "you're a ",
    "you're an ",
    "your task is ",
    "your role is ",
    "act as a",
    "you act as",
    "you will be given",
    "you will act as",
    "your job is to ",
    "du bist ein",
    "sie sind ein",
    "deine aufgabe ist",
    "tu es un",
    "vous êtes un",
    "eres un",
    "usted es un",
    "sei un",
    "jesteś ",
    "je bent een",
    "você é um",
];
/// How a text in a folder of prompts goes on.
const ORDERS: &[&str] = &[
    "answer ",
    "reply ",
    "respond ",
    "return ",
    "output ",
    "summarise ",
    "summarize ",
    "classify ",
    "extract ",
    "rewrite ",
    "translate ",
    "never ",
    "do not ",
    "you ",
    "given the ",
    "antworte",
    "réponds",
    "responde",
    "write ",
    "assess ",
];
/// Words of a text for people that begins in the same way.
const FOR_PEOPLE: &[&str] = &[
    "you are a developer",
    "you are a contributor",
    "you are a maintainer",
    "you are a new ",
    "you are a user",
    "you are a student",
    "you are a beginner",
    "you are the owner",
    "you are a windows",
    "you are a mac",
    "you are a linux",
];
/// Lines at the top in which the part is given.
const HEAD_LINES: usize = 12;

pub(crate) fn detect(view: &View<'_>, out: &mut Vec<Candidate>) {
    let prose = view.is_markup()
        || view.language == Language::Other
            && [
                ".prompt",
                ".prompty",
                ".j2",
                ".jinja",
                ".jinja2",
                ".tmpl",
                ".hbs",
                ".liquid",
                ".mustache",
            ]
            .iter()
            .any(|ending| view.name.ends_with(ending));
    let named = matches!(
        view.stem.as_str(),
        "readme" | "changelog" | "contributing" | "license" | "security" | "agents" | "claude" | "index"
    );
    if prose && !named {
        let folder = view
            .path
            .split('/')
            .rev()
            .skip(1)
            .any(|part| matches!(part, "prompts" | "prompt" | "system_prompts" | "prompt_templates"));
        let head = view
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .take(HEAD_LINES);
        for (index, line) in head {
            let line = line.trim().trim_start_matches(['#', '>', '-', '*', '"', ' ']);
            let line = line.strip_prefix("system:").map_or(line, str::trim_start);
            let part = PARTS.iter().any(|part| line.starts_with(part))
                && !FOR_PEOPLE.iter().any(|people| line.starts_with(people));
            // In a longer text for people such a sentence stands among headings.
            let short = folder || view.headings().count() <= 12 && index < 6;
            if part && short {
                out.push(candidate(
                    ArtefactKind::PromptFile,
                    number(index),
                    "sets the role of a model",
                ));
                return;
            }
            if folder && ORDERS.iter().any(|order| line.starts_with(order)) {
                out.push(candidate(
                    ArtefactKind::PromptFile,
                    number(index),
                    "gives instructions to a model",
                ));
                return;
            }
        }
        return;
    }
    if matches!(view.language, Language::Yaml | Language::Json | Language::Toml) {
        let keys = [
            "system_prompt",
            "systemprompt",
            "system_message",
            "prompt_template",
            "system-prompt",
        ];
        let line = view.line_where(|line| {
            let key = line.trim_start().trim_start_matches(['"', '-', ' ']);
            keys.iter().any(|known| {
                key.strip_prefix(known)
                    .is_some_and(|rest| rest.trim_start_matches(['"', ' ']).starts_with([':', '=']))
            })
        });
        let template = (view.has_key("input_variables") && view.has_key("template")).then(|| view.key_line("template"));
        if let Some(line) = line.or(template) {
            out.push(candidate(
                ArtefactKind::PromptFile,
                line,
                "a prompt in a configuration file",
            ));
        }
    }
}
