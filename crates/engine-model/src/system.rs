//! AI systems: their parts, their models, their role and their risk class.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Date, Evidence, ObligationRecord};

/// One AI system of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct System {
    /// A stable slug.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The folder of the system, relative to the project's root; empty for the root itself.
    pub scope: String,
    /// Where it is started or called.
    pub entry_points: Vec<EntryPoint>,
    /// The providers of its models.
    pub providers: Vec<String>,
    /// The models that it names.
    pub models: Vec<String>,
    /// `provider`, `deployer` and so on, or `unknown`.
    pub role: String,
    /// The basis of the role.
    pub role_basis: String,
    /// `prohibited`, `high`, `limited`, `minimal` or `unknown`.
    pub risk_class: String,
    /// The basis of the class.
    pub risk_basis: String,
    /// The class that the code alone indicates.
    #[serde(default)]
    pub observed_class: String,
    /// Open questions, sorted by the number of obligations that they decide.
    pub questions: Vec<Question>,
    /// All obligations that apply, will apply, or depend on an open question.
    pub obligations: Vec<ObligationRecord>,
    /// Files with calls of this system.
    pub files: Vec<String>,
    /// The intended purpose, as stated by the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Answers about it in `.compliance/profile.toml`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<StatedAnswer>,
    /// Facts in code that answers depend on; a new fact reopens these answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<String>,
}

/// Where a system is started or called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryPoint {
    /// The kind of entry point.
    pub kind: EntryPointKind,
    /// Its name: a route, a command, a function.
    pub name: String,
    /// Path relative to the project's root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// Kinds of entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryPointKind {
    /// A route of a web service.
    Http,
    /// A main function or script.
    Main,
    /// A command of a command line.
    Command,
    /// A job that a timer or queue starts.
    Job,
    /// A user interface: a page or component.
    Page,
    /// A handler of messages: bot, webhook, queue.
    Message,
    /// An exported function of a library.
    Library,
}

/// A question whose answer changes which obligations apply or their status.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// A stable id.
    pub id: String,
    /// The key of the answer: the system or `organisation`, and the id, such as `main.role`.
    #[serde(default)]
    pub key: String,
    /// The question.
    pub text: String,
    /// Why the question matters.
    pub why: String,
    /// The provisions behind it.
    #[serde(default)]
    pub provision: String,
    /// How it is answered: `yes_no`, `one_of`, `any_of`, `date` or `text`.
    #[serde(default)]
    pub kind: String,
    /// The possible answers, each with its effect; `unknown` is always possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<QuestionOption>,
    /// The effect of the answers, in a sentence.
    pub effect: String,
    /// How many obligations the answer can change.
    #[serde(default)]
    pub decides: u64,
    /// `open`, `unknown` (answered with "I do not know"), `reopened` (the code changed since) or `expired`.
    #[serde(default)]
    pub status: String,
    /// The likely answer, from the code. It never counts as the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Suggestion>,
    /// Facts in code that are new since the previous answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The command to answer it.
    #[serde(default)]
    pub command: String,
    /// The evidence that raised it.
    pub evidence: Vec<Evidence>,
}

impl Question {
    /// Whether an answer can change the risk class of the system or settle a ground of it.
    pub fn is_about_class(&self) -> bool {
        self.id.starts_with("annex-") || self.id.starts_with("art-5-") || self.id == "direct-interaction"
    }
}

/// A possible answer to a question, and its effect.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    /// The value that is written into the profile.
    pub value: String,
    /// The label that the user reads.
    pub label: String,
    /// Number of obligations that would newly apply, now or from a later date.
    pub adds: u64,
    /// Number of obligations that would no longer apply or be open.
    pub removes: u64,
    /// Gaps already found among the new obligations.
    pub gaps: u64,
    /// New obligations that already have evidence.
    pub evidenced: u64,
    /// The earliest date among the new obligations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
}

/// A likely answer, derived from the code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// The value.
    pub value: String,
    /// Why.
    pub because: String,
}

/// An answer that a person stated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatedAnswer {
    /// The id of the question.
    pub question: String,
    /// Where it is stated: `organisation`, `all` or `system`.
    pub scope: String,
    /// The answer: one word, or several.
    pub value: Vec<String>,
    /// The person who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Date>,
    /// The reason that the person gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The last day on which it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
    /// `answered`, `unknown`, `reopened` or `expired`.
    pub status: String,
    /// Facts in code that are new since the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The line of the answer in `.compliance/profile.toml`.
    pub line: u32,
}

/// An open question as a person is asked it: once for the organisation, once for all systems, or for one.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenQuestion {
    /// The system that it concerns; none if the answer covers the organisation or every system.
    pub system: Option<String>,
    /// The question; its key names the system or the organisation.
    pub question: Question,
}

/// The name in the key of an answer that holds for every system.
const ALL_SYSTEMS: &str = "all";

/// The open questions of a project in the order in which every list and form numbers them.
///
/// A question about the organisation is asked once. One that each of several systems raises without evidence of its own
/// is asked once for all. Those about prohibited practices come first, then those that decide most.
pub fn open_questions(systems: &[System]) -> Vec<OpenQuestion> {
    let mut open: Vec<OpenQuestion> = Vec::new();
    for system in systems {
        for question in &system.questions {
            let of_one = question
                .key
                .strip_prefix(system.id.as_str())
                .is_some_and(|rest| rest.starts_with('.'));
            let twins = systems
                .iter()
                .filter_map(|other| other.questions.iter().find(|twin| twin.id == question.id));
            let shared = of_one
                && systems.len() > 1
                && twins.clone().count() == systems.len()
                && twins
                    .clone()
                    .all(|twin| twin.evidence.is_empty() && twin.status == question.status);
            let mut question = question.clone();
            if shared {
                let key = format!("{ALL_SYSTEMS}.{}", question.id);
                question.command = question.command.replace(&question.key, &key);
                question.key = key;
                question.decides = twins.clone().map(|twin| twin.decides).sum();
                add_up(&mut question, &twins);
            }
            if open.iter().all(|known| known.question.key != question.key) {
                open.push(OpenQuestion {
                    system: (of_one && !shared).then(|| system.id.clone()),
                    question,
                });
            }
        }
    }
    open.sort_by_key(|open| {
        let practice = open.question.id.starts_with("art-5");
        (!practice, std::cmp::Reverse(open.question.decides))
    });
    open
}

/// Adds up what the answers change over all systems.
fn add_up<'q>(question: &mut Question, twins: &(impl Iterator<Item = &'q Question> + Clone)) {
    // Options of which the effect was not computed, such as rare roles, are not named in it.
    let named: Vec<bool> = question
        .options
        .iter()
        .map(|option| question.effect.contains(&format!("`{}`", option.value)))
        .collect();
    for option in &mut question.options {
        let same = twins
            .clone()
            .filter_map(|twin| twin.options.iter().find(|other| other.value == option.value));
        (option.adds, option.removes, option.gaps, option.evidenced) = (0, 0, 0, 0);
        for other in same {
            option.adds += other.adds;
            option.removes += other.removes;
            option.gaps += other.gaps;
            option.evidenced += other.evidenced;
            option.from = option.from.into_iter().chain(other.from).min();
        }
    }
    if question.options.is_empty() {
        question.effect = format!("The answer decides {}.", counted(question.decides, "obligation"));
    } else {
        let options = question.options.iter().zip(named).filter(|(_, named)| *named);
        question.effect = effect_of(&question.id, options.map(|(option, _)| option));
    }
}

/// What the answers to a question change, in sentences; options with the same effect are one clause.
pub fn effect_of<'o>(question: &str, options: impl Iterator<Item = &'o QuestionOption>) -> String {
    // Each statement also rules out the duties of the statements that are not selected.
    let selecting = if matches!(question, "development" | "use") {
        "Selecting only "
    } else {
        ""
    };
    let mut said: Vec<(String, Vec<&str>)> = Vec::new();
    for option in options {
        let what = change_of(option);
        match said.iter_mut().find(|(known, _)| *known == what) {
            Some((_, values)) => values.push(&option.value),
            None => said.push((what, vec![&option.value])),
        }
    }
    said.iter()
        .map(|(what, values)| {
            let values = match values.as_slice() {
                // A long row of options with one effect is named by its ends.
                [first, .., last] if values.len() > LISTED_MAX => format!("`{first}` to `{last}`"),
                [first @ .., last] if !first.is_empty() => {
                    let first: Vec<String> = first.iter().map(|value| format!("`{value}`")).collect();
                    format!("{} or `{last}`", first.join(", "))
                }
                values => format!("`{}`", values.concat()),
            };
            format!("{selecting}{values} {what}.")
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Options with one effect that are listed one by one.
const LISTED_MAX: usize = 4;

fn change_of(option: &QuestionOption) -> String {
    let mut parts = Vec::new();
    if option.adds > 0 {
        let from = option
            .from
            .map_or_else(String::new, |from| format!(" from {}", from.strftime("%-d %B %Y")));
        let open = option.adds.saturating_sub(option.gaps + option.evidenced);
        let known: Vec<String> = [
            (option.gaps > 0).then(|| counted(option.gaps, "gap")),
            (option.evidenced > 0).then(|| format!("{} with evidence", option.evidenced)),
            (open > 0 && open < option.adds).then(|| format!("{open} without evidence yet")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let known = if known.is_empty() {
            String::new()
        } else {
            format!(" ({})", known.join(", "))
        };
        parts.push(format!("adds {}{from}{known}", counted_duties(option.adds)));
    }
    if option.removes > 0 {
        let duties = if option.removes == 1 { "duty" } else { "duties" };
        parts.push(format!("rules out {} possible {duties}", option.removes));
    }
    if parts.is_empty() {
        "changes no duty".to_owned()
    } else {
        parts.join(" and ")
    }
}

fn counted_duties(number: u64) -> String {
    if number == 1 {
        "1 duty".to_owned()
    } else {
        format!("{number} duties")
    }
}

/// A number with its noun.
fn counted(number: u64, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(id: &str, questions: &[(&str, u64, bool)]) -> System {
        System {
            id: id.to_owned(),
            questions: questions
                .iter()
                .map(|(question, decides, evidence)| {
                    let about = if *question == "established" { "organisation" } else { id };
                    Question {
                        id: (*question).to_owned(),
                        key: format!("{about}.{question}"),
                        command: format!("engine-server answer . --set {about}.{question}=yes"),
                        decides: *decides,
                        evidence: evidence
                            .then(|| Evidence {
                                kind: crate::EvidenceKind::Code,
                                reference: id.to_owned(),
                                file: None,
                                line: None,
                                hash: None,
                            })
                            .into_iter()
                            .collect(),
                        ..Question::default()
                    }
                })
                .collect(),
            ..System::default()
        }
    }

    #[test]
    fn shared_question_is_asked_once_for_all_systems() {
        let systems = [
            system(
                "a",
                &[
                    ("role", 3, false),
                    ("annex-iii-credit", 80, true),
                    ("established", 1, false),
                ],
            ),
            system(
                "b",
                &[
                    ("role", 4, false),
                    ("established", 1, false),
                    ("art-5-emotion", 1, true),
                ],
            ),
        ];
        let open = open_questions(&systems);
        let keys: Vec<&str> = open.iter().map(|open| open.question.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "b.art-5-emotion",
                "a.annex-iii-credit",
                "all.role",
                "organisation.established"
            ]
        );
        assert_eq!(open[2].question.decides, 7);
        assert_eq!(open[2].question.command, "engine-server answer . --set all.role=yes");
        assert_eq!(open[1].system.as_deref(), Some("a"));
        // Where one system alone raises it, it is about that system.
        let keys: Vec<String> = open_questions(&systems[..1])
            .into_iter()
            .map(|open| open.question.key)
            .collect();
        assert_eq!(keys, ["a.annex-iii-credit", "a.role", "organisation.established"]);
    }
}
