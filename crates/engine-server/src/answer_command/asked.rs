//! One question in a dialogue: how it is shown, and what a person can type.

use std::io;

use engine_model::{Question, QuestionOption, System};
use engine_profile::{ALL_SYSTEMS, Block, ORGANISATION, QuestionSpec, UNKNOWN, question};

use super::talk::{Talk, count, day};

/// The most options that are shown with their own effect. With more options, equal effects are grouped.
pub(super) const OPTIONS_WITH_EFFECT_MAX: usize = 6;

/// The most code locations that are shown.
const PLACES_MAX: usize = 6;

/// The question on AI disclosure; its answer is evidence.
const DISCLOSED: &str = "ai-is-obvious";

/// The question on the roles of the operator.
const ROLE: &str = "role";

/// Roles whose effect is computed.
const COMMON_ROLES: &[&str] = &["provider", "deployer", "both"];

/// The keys of every question.
pub(super) const KEYS: &str = "? unknown, s skip, b back, q stop, h help";

/// The parsed input line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// An answer; `unknown` for "I do not know".
    Words(Vec<String>),
    /// Keep the earlier answer.
    Keep,
    /// Ask the question later.
    Skip,
    /// Go back to the previous question.
    Back,
    /// End the dialogue.
    Stop,
    /// Explain the keys.
    Help,
    /// Not a valid answer, with the reason.
    Unclear(String),
}

/// A question as shown in the dialogue.
pub(super) struct Asked<'q> {
    question: &'q Question,
    spec: Option<&'static QuestionSpec>,
    /// The options with their numbers.
    choices: Vec<(usize, &'q QuestionOption)>,
}

/// The name of a system, with its id if that differs.
pub(super) fn system_name(system: &System) -> String {
    if system.name.is_empty() || system.name == system.id {
        system.id.clone()
    } else {
        format!("{} ({})", system.name, system.id)
    }
}

/// The subject of a question.
pub(super) fn about(system: &System, question: &Question) -> String {
    match question.key.split_once('.') {
        Some((ORGANISATION, _)) => "your organisation".to_owned(),
        Some((ALL_SYSTEMS, _)) => "all systems".to_owned(),
        _ => system_name(system),
    }
}

/// A short description of the effect of an option.
pub(super) fn effect_of(option: &QuestionOption) -> String {
    let mut parts = Vec::new();
    if option.adds > 0 {
        let from = option
            .from
            .map_or_else(String::new, |from| format!(" from {}", day(from)));
        let gaps = match option.gaps {
            0 => String::new(),
            gaps => format!(", {} found", count(gaps, "gap")),
        };
        parts.push(format!("{}{from}{gaps}", count(option.adds, "more obligation")));
    }
    match (option.removes, option.adds) {
        (0, _) => {}
        (removes, 0) => parts.push(count(removes, "fewer obligation")),
        (removes, _) => parts.push(format!("{removes} fewer")),
    }
    if parts.is_empty() {
        "no change".to_owned()
    } else {
        parts.join("; ")
    }
}

/// The distinct effects of options, each with the names of its options.
pub(super) fn effects_once<N: Clone>(question: &Question, options: &[(N, &QuestionOption)]) -> Vec<(String, Vec<N>)> {
    let mut effects: Vec<(String, Vec<N>)> = Vec::new();
    for (name, option) in options.iter().filter(|(_, option)| is_computed(question, option)) {
        let effect = effect_of(option);
        match effects.iter_mut().find(|(known, _)| *known == effect) {
            Some((_, names)) => names.push(name.clone()),
            None => effects.push((effect, vec![name.clone()])),
        }
    }
    effects
}

/// Whether the effect of an option was computed. It is not computed for rare roles, which exclude nearly all obligations.
pub(super) fn is_computed(question: &Question, option: &QuestionOption) -> bool {
    question.id != ROLE || COMMON_ROLES.contains(&option.value.as_str()) || option.adds + option.removes > 0
}

/// Whether the effect of the question is more than a number of obligations.
pub(super) fn is_statement(question: &Question) -> bool {
    question.id == DISCLOSED || is_practice(question)
}

/// Whether a question is about a practice of Art. 5.
pub(super) fn is_practice(question: &Question) -> bool {
    engine_profile::question(&question.id).is_some_and(|spec| spec.block == Block::Prohibited)
}

impl<'q> Asked<'q> {
    pub(super) fn new(asked: &'q Question) -> Self {
        // In a list of boxes to tick, none of them is zero, and it comes last.
        let (none, some): (Vec<_>, Vec<_>) = asked
            .options
            .iter()
            .partition(|option| asked.kind == "any_of" && option.value == "none");
        let choices = (1..).zip(some).chain(none.into_iter().map(|none| (0, none))).collect();
        Self {
            question: asked,
            spec: question(&asked.id),
            choices,
        }
    }

    /// Shows the question, its reason, its evidence and its options.
    pub(super) fn show(&self, talk: &mut Talk<'_>) -> io::Result<()> {
        let question = self.question;
        let provision = match question.provision.as_str() {
            "" => String::new(),
            provision => format!(" ({provision})"),
        };
        talk.say(&format!("{}{provision}", question.text))?;
        talk.item(0, 5, &format!("Why: {}", question.why))?;
        let mut places: Vec<String> = Vec::new();
        for evidence in &question.evidence {
            let place = match (&evidence.file, evidence.line) {
                (Some(file), Some(line)) => format!("{file}:{line} `{}`", evidence.reference),
                (Some(file), None) => format!("{file} `{}`", evidence.reference),
                (None, _) => evidence.reference.clone(),
            };
            if !places.contains(&place) {
                places.push(place);
            }
        }
        if !places.is_empty() {
            talk.say("Found in the code:")?;
        }
        for place in places.iter().take(PLACES_MAX) {
            talk.item(2, 4, place)?;
        }
        if places.len() > PLACES_MAX {
            talk.item(2, 4, &format!("and {} more locations", places.len() - PLACES_MAX))?;
        }
        if let Some(suggestion) = &question.suggestion {
            let number = self
                .choices
                .iter()
                .find(|(_, option)| option.value == suggestion.value)
                .map_or_else(String::new, |(number, _)| format!("answer {number}, "));
            let because = suggestion.because.trim_end_matches('.');
            talk.item(
                0,
                8,
                &format!("Likely: {number}`{}`, because {because}.", suggestion.value),
            )?;
        }
        self.show_choices(talk)
    }

    fn show_choices(&self, talk: &mut Talk<'_>) -> io::Result<()> {
        let statement = is_statement(self.question);
        let each = !statement && self.choices.len() <= OPTIONS_WITH_EFFECT_MAX;
        for (number, option) in &self.choices {
            let hang = if self.choices.len() < 10 { 5 } else { 6 };
            talk.item(2, hang, &format!("{number}) {}", option.label))?;
            if each && is_computed(self.question, option) {
                talk.item(hang, hang + 2, &effect_of(option))?;
            }
        }
        if each && !self.choices.is_empty() {
            return Ok(());
        }
        if statement {
            return talk.item(0, 2, &format!("What it changes: {}", self.question.effect));
        }
        if self.choices.is_empty() {
            let decides = count(self.question.decides, "obligation");
            return talk.item(0, 2, &format!("What it changes: the answer decides {decides}."));
        }
        let effects = effects_once(self.question, &self.choices);
        if !effects.is_empty() {
            talk.say("What it changes:")?;
        }
        for (effect, numbers) in effects {
            talk.item(2, 4, &format!("{}: {effect}", ranges(&numbers)))?;
        }
        Ok(())
    }

    /// The prompt.
    pub(super) fn prompt(&self) -> String {
        let takes = match self.question.kind.as_str() {
            "any_of" => "numbers such as 1,3, or 0 for none",
            "date" => "a date such as 2026-03-01, or `not yet`",
            "text" => "a text",
            _ => "a number",
        };
        format!("Answer ({takes}; {KEYS}):")
    }

    /// Parses a line. `former`: whether there is an earlier answer, which Enter keeps.
    pub(super) fn read(&self, line: &str, former: bool) -> Input {
        let text = self.question.kind == "text";
        match line.to_lowercase().as_str() {
            "" if former => return Input::Keep,
            "" => return Input::Unclear(format!("The answer is empty. {}", self.hint())),
            "?" => return Input::Words(vec![UNKNOWN.to_owned()]),
            "s" => return Input::Skip,
            "b" => return Input::Back,
            "q" => return Input::Stop,
            "h" => return Input::Help,
            "skip" if !text => return Input::Skip,
            "back" if !text => return Input::Back,
            "stop" | "quit" if !text => return Input::Stop,
            "help" if !text => return Input::Help,
            _ => {}
        }
        if let Some(numbers) = numbers(line).filter(|_| !self.choices.is_empty()) {
            return self.numbered(line, &numbers);
        }
        let several = self.question.kind == "any_of";
        let words: Vec<&str> = if several { line.split(',').collect() } else { vec![line] };
        match self.spec.map(|spec| spec.read(words.iter().copied())) {
            Some(Ok(value)) => Input::Words(value.words().to_vec()),
            Some(Err(_)) => Input::Unclear(format!("`{line}` is not a valid answer. {}", self.hint())),
            None => Input::Words(words.into_iter().map(|word| word.trim().to_owned()).collect()),
        }
    }

    fn numbered(&self, line: &str, numbers: &[usize]) -> Input {
        let several = self.question.kind == "any_of";
        if numbers.len() > 1 && (!several || numbers.contains(&0)) {
            return Input::Unclear(format!("`{line}` contains more than one answer. {}", self.hint()));
        }
        let mut words = Vec::new();
        for number in numbers {
            match self.choices.iter().find(|(own, _)| own == number) {
                Some((_, option)) => words.push(option.value.clone()),
                None => return Input::Unclear(format!("Answer {number} does not exist. {}", self.hint())),
            }
        }
        Input::Words(words)
    }

    /// The hint on valid input.
    pub(super) fn hint(&self) -> String {
        let most = self.choices.iter().map(|(number, _)| *number).max().unwrap_or(0);
        let takes = match self.question.kind.as_str() {
            "yes_no" => "Type 1 for yes or 2 for no.".to_owned(),
            "any_of" => format!("Type numbers from 1 to {most}, separated by commas, or 0 for none."),
            "date" => "Type a date such as 2026-03-01, or `not yet`.".to_owned(),
            "text" => "Type a sentence.".to_owned(),
            _ => format!("Type a number from 1 to {most}."),
        };
        format!("{takes} Other keys: {KEYS}.")
    }

    /// Whether the answer needs a reason: it removes obligations, concerns Art. 5, or is evidence itself.
    pub(super) fn needs_reason(&self, words: &[String]) -> bool {
        if words.iter().any(|word| word == UNKNOWN) {
            return false;
        }
        if is_practice(self.question) || self.question.id == DISCLOSED {
            return true;
        }
        // Both roles together have an option of their own, with another effect than each.
        let both = self.question.options.iter().find(|option| option.value == "both");
        let words = match both {
            Some(both) if words == ["provider", "deployer"] => std::slice::from_ref(&both.value),
            _ => words,
        };
        let mut chosen = self
            .question
            .options
            .iter()
            .filter(|option| words.contains(&option.value))
            .peekable();
        chosen.peek().is_some() && chosen.all(|option| option.removes > option.adds)
    }
}

/// Numbers separated by commas or spaces; none if the line contains anything else.
fn numbers(line: &str) -> Option<Vec<usize>> {
    line.split([',', ' '])
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.trim_end_matches(')').parse().ok())
        .collect::<Option<Vec<usize>>>()
        .filter(|numbers| !numbers.is_empty())
}

/// Numbers in words, such as `1 to 11, 20`.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number)),
        }
    }
    let runs: Vec<String> = runs
        .iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    runs.join(", ")
}
