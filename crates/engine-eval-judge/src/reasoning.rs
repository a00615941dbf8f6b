//! The reasoning of a model, separated from its answer.

use std::borrow::Cow;

use serde_json::Value;

/// A reply in two parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parted {
    /// The text for the user.
    pub answer: String,
    /// The reasoning before or between the parts of the answer; empty if there is none.
    pub thought: String,
}

/// Names of tags around reasoning, in lower case.
const TAGS: [&str; 11] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "scratchpad",
    "reflection",
    "inner_monologue",
    "internal_monologue",
    "chain_of_thought",
    "seed:think",
];

/// Opening and closing marks that are not tags, in lower case.
const MARKS: [(&str, &str); 7] = [
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|think|>", "<|/think|>"),
    ("<|channel>thought", "<channel|>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
];

/// Tags around the final answer, which stand in the text beside the reasoning.
const ANSWER_TAGS: [&str; 10] = [
    "<answer>",
    "</answer>",
    "<final_answer>",
    "</final_answer>",
    "<final>",
    "</final>",
    "<response>",
    "</response>",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
];

/// Marks of chat templates that belong to no text.
const TEMPLATE: [&str; 14] = [
    "</s>",
    "<s>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|im_start|>assistant",
    "[/INST]",
    "<|assistant|>",
    "<|start|>assistant",
    "<|return|>",
    "<|start_response|>",
    "<|end_response|>",
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
];

/// Attributes of a tag are read up to this length.
const TAG_BYTES_MAX: usize = 120;

/// Separates the reasoning of a reply from its answer. A block without an end runs to the end of the text.
pub fn part(text: &str) -> Parted {
    // Most replies have no mark at all.
    if !text.contains(['<', '[', '◁']) && !text.trim_start().starts_with("analysis") {
        return Parted {
            answer: text.to_owned(),
            thought: String::new(),
        };
    }
    let mut thought = Vec::new();
    let mut answer = channels(text, &mut thought);
    answer = blocks(&answer, &mut thought);
    for mark in TEMPLATE {
        if answer.contains(mark) {
            answer = answer.replace(mark, "");
        }
    }
    if !thought.is_empty() {
        for tag in ANSWER_TAGS {
            if answer.contains(tag) {
                answer = answer.replace(tag, "");
            }
        }
    }
    let kept: Vec<&str> = thought
        .iter()
        .map(|block| block.trim())
        .filter(|block| !block.is_empty())
        .collect();
    Parted {
        answer,
        thought: kept.join("\n\n"),
    }
}

/// A value in which the reasoning of each text is left out, and fields of reasoning are empty.
pub fn without_thought(value: &Value) -> Value {
    stripped(value, 0)
}

/// Deeper values are left out: no reply of a service nests that deep.
const DEPTH_MAX: usize = 32;

fn stripped(value: &Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return Value::Null;
    }
    match value {
        Value::String(text) => match part(text) {
            parted if parted.thought.is_empty() => value.clone(),
            parted => Value::String(parted.answer),
        },
        Value::Array(items) => items
            .iter()
            .filter(|item| !is_thought(item))
            .map(|item| stripped(item, depth + 1))
            .collect(),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, inner)| !is_thought_field(name, inner))
            .map(|(name, inner)| (name.clone(), stripped(inner, depth + 1)))
            .collect(),
        _ => value.clone(),
    }
}

/// Whether a part of a message is reasoning by its type.
pub fn is_thought(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    part.get("thought") == Some(&Value::Bool(true))
        || matches!(
            kind,
            "thinking" | "redacted_thinking" | "reasoning" | "reasoning_text" | "summary_text" | "thought"
        )
}

/// Names of fields that contain reasoning.
pub const THOUGHT_FIELDS: [&str; 7] = [
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "reasoning_details",
    "thinking",
    "thoughts",
    "thought",
];

fn is_thought_field(name: &str, value: &Value) -> bool {
    THOUGHT_FIELDS.contains(&name) && matches!(value, Value::String(_) | Value::Array(_) | Value::Object(_))
}

/// The final channel of a reply in channels: `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…`.
fn channels(text: &str, thought: &mut Vec<String>) -> String {
    const CHANNEL: &str = "<|channel|>";
    let trimmed = text.trim_start();
    if !text.contains(CHANNEL) {
        // The same with its marks lost: "analysisThe user wants …assistantfinalHere is …".
        if let Some(rest) = trimmed.strip_prefix("analysis")
            && rest.starts_with(|c: char| c.is_uppercase())
        {
            let (inner, answer) = rest.split_once("assistantfinal").unwrap_or((rest, ""));
            thought.push(inner.to_owned());
            return answer.to_owned();
        }
        return text.to_owned();
    }
    let mut answer = String::new();
    let mut parts = text.split(CHANNEL);
    answer.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (head, message) = part.split_once("<|message|>").unwrap_or_else(|| {
            // Without the mark of the message the name of the channel is the first word.
            let end = part.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(part.len());
            part.split_at(end)
        });
        let message = ["<|end|>", "<|return|>", "<|call|>"]
            .iter()
            .filter_map(|mark| message.split_once(mark))
            .map(|(inside, _)| inside)
            .min_by_key(|inside| inside.len())
            .unwrap_or(message);
        let message = message.strip_suffix("<|start|>assistant").unwrap_or(message);
        if head.trim_start().starts_with("analysis") {
            thought.push(message.to_owned());
        } else {
            answer.push_str(message);
        }
    }
    answer
}

/// A mark of a block in a text.
struct Mark<'a> {
    start: usize,
    end: usize,
    name: &'a str,
    closes: bool,
}

/// Takes out blocks between marks, nested ones included.
fn blocks(text: &str, thought: &mut Vec<String>) -> String {
    let marks = marks(text);
    if marks.is_empty() {
        return text.to_owned();
    }
    let mut answer = String::with_capacity(text.len());
    let mut at = 0;
    let mut open: Option<(&str, usize, usize)> = None;
    for mark in &marks {
        match (&mut open, mark.closes) {
            (None, false) => {
                answer.push_str(&text[at..mark.start]);
                open = Some((mark.name, 1, mark.end));
            }
            // Some models send only the closing mark: the text before it is reasoning.
            (None, true) if thought.is_empty() && at == 0 => {
                thought.push(std::mem::take(&mut answer) + &text[at..mark.start]);
                at = mark.end;
            }
            (None, true) => {
                answer.push_str(&text[at..mark.start]);
                at = mark.end;
            }
            (Some((name, depth, _)), false) if *name == mark.name => *depth += 1,
            (Some((name, depth, start)), true) if *name == mark.name => {
                *depth -= 1;
                if *depth == 0 {
                    thought.push(text[*start..mark.start].to_owned());
                    at = mark.end;
                    open = None;
                }
            }
            // Another mark inside a block is part of the reasoning.
            (Some(_), _) => {}
        }
    }
    match open {
        Some((name, _, start)) => {
            // Nested openings whose ends are missing: the last closing mark of the name ends the block.
            match marks
                .iter()
                .rev()
                .find(|mark| mark.closes && mark.name == name && mark.start >= start)
            {
                Some(last) => {
                    thought.push(text[start..last.start].to_owned());
                    answer.push_str(&text[last.end..]);
                }
                None => thought.push(text[start..].to_owned()),
            }
        }
        None => answer.push_str(&text[at..]),
    }
    answer
}

/// The marks of a text in order. A mark that is quoted or stands in code is a word of the answer.
fn marks(text: &str) -> Vec<Mark<'_>> {
    const ALL_MAX: usize = 4_096;
    let mut found = Vec::new();
    let mut at = 0;
    let mut fences = 0_usize;
    while let Some(step) = text[at..].find(['<', '[', '◁', '`']) {
        let start = at + step;
        let rest = &text[start..];
        let open = found.last().is_some_and(|mark: &Mark<'_>| !mark.closes);
        if let Some(after) = rest.strip_prefix("```") {
            fences += 1;
            at = text.len() - after.len();
            continue;
        }
        at = start + rest.chars().next().map_or(1, char::len_utf8);
        if rest.starts_with('`') {
            // A span of code on one line.
            let line = &text[at..at + text[at..].find('\n').unwrap_or(text.len() - at)];
            if let Some(end) = line.find('`').filter(|_| !open) {
                at += end + 1;
            }
            continue;
        }
        if found.len() >= ALL_MAX || fences % 2 == 1 && !open {
            continue;
        }
        let quoted = |length: usize| {
            text[..start].ends_with(['"', '\'', '“', '«', '„'])
                && rest[length..].starts_with(['"', '\'', '”', '»', '“'])
        };
        if let Some((length, name, closes)) = tag(rest).or_else(|| mark(rest)).filter(|found| !quoted(found.0)) {
            found.push(Mark {
                start,
                end: start + length,
                name,
                closes,
            });
            at = start + length;
        }
    }
    found
}

fn mark(rest: &str) -> Option<(usize, &'static str, bool)> {
    let starts = |mark: &str| {
        rest.get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    MARKS.iter().find_map(|(open, close)| {
        if starts(open) {
            Some((open.len(), *open, false))
        } else if starts(close) {
            Some((close.len(), *open, true))
        } else {
            None
        }
    })
}

/// `<think>`, `</think>`, `< Thinking type="short" >`.
fn tag(rest: &str) -> Option<(usize, &'static str, bool)> {
    let inside = rest.strip_prefix('<')?;
    let window = &inside[..inside.floor_char_boundary(TAG_BYTES_MAX)];
    let end = window.find('>')?;
    let body = window[..end].trim();
    let (closes, body) = body.strip_prefix('/').map_or((false, body), |body| (true, body));
    if body.contains('<') || body.ends_with('/') {
        return None;
    }
    let name = body.split_whitespace().next()?;
    let attributes = body.trim().len() > name.len();
    if attributes && !body.contains('=') {
        return None;
    }
    let name: Cow<'_, str> = name.to_ascii_lowercase().into();
    let known = TAGS.iter().find(|known| **known == name)?;
    Some((end + 2, known, closes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, answer: &str, thought: &str) {
        let parted = part(text);
        assert_eq!(
            (parted.answer.trim(), parted.thought.as_str()),
            (answer, thought),
            "{text}"
        );
    }

    #[test]
    fn blocks_of_every_form_are_separated_from_the_answer() {
        check("<think>weigh it</think>Yes.", "Yes.", "weigh it");
        check(
            "<Thinking effort=\"low\">\nweigh it\n</thinking>\n\nYes.",
            "Yes.",
            "weigh it",
        );
        check("<reasoning>a</reasoning><answer>Yes.</answer>", "Yes.", "a");
        check("[THINK]a[/THINK]Yes.", "Yes.", "a");
        check("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>Yes.", "Yes.", "a");
        check("◁think▷a◁/think▷Yes.", "Yes.", "a");
        check(
            "<think>a <think>b</think> c</think>Yes.",
            "Yes.",
            "a <think>b</think> c",
        );
        check("<think>a</think>Yes.<think>b</think> Really.", "Yes. Really.", "a\n\nb");
        check("weigh it</think>Yes.", "Yes.", "weigh it");
    }

    #[test]
    fn a_block_without_an_end_leaves_no_answer() {
        check("<think>I must refuse this", "", "I must refuse this");
        check("<thinking>a\n\nb", "", "a\n\nb");
        check("<|channel|>analysis<|message|>The user wants", "", "The user wants");
        check("analysisThe user wants a recipe", "", "The user wants a recipe");
        check("Partly. <think>and then", "Partly.", "and then");
    }

    #[test]
    fn channels_keep_the_final_one() {
        check(
            "<|channel|>analysis<|message|>weigh it<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
            "Yes.",
            "weigh it",
        );
        check("analysisWeigh it.assistantfinalYes.", "Yes.", "Weigh it.");
        check("<|channel>thought\nweigh it<channel|>Yes.", "Yes.", "weigh it");
    }

    #[test]
    fn tags_that_the_answer_speaks_of_stay() {
        let text = "Write the tag `<think>` before it, and \"</think>\" after it.";
        check(text, text, "");
        let code = "Use this:\n```\n<think>x</think>\n```\nDone.";
        check(code, code, "");
        check("1 < 2 and [x] > 3", "1 < 2 and [x] > 3", "");
    }

    #[test]
    fn fields_of_reasoning_are_taken_out_of_a_body() {
        let body = json!({"choices": [{"message": {"content": "<think>a</think>b", "reasoning_content": "c"}}],
            "content": [{"type": "thinking", "thinking": "d"}, {"type": "text", "text": "e"}], "reasoning": null});
        assert_eq!(
            without_thought(&body),
            json!({"choices": [{"message": {"content": "b"}}], "content": [{"type": "text", "text": "e"}], "reasoning": null})
        );
    }
}
