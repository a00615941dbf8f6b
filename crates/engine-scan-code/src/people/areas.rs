//! Areas of life: which nouns and field names make a record about a person, as data.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use engine_model::PersonArea;
use rustc_hash::FxHashSet as HashSet;
use serde::Deserialize;

/// The words of the areas, ready for use. All are written without case and separators.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    identity: HashSet<String>,
    pub(crate) persons: HashSet<String>,
    around: HashSet<String>,
    pub(crate) verdicts: HashSet<String>,
    pub(crate) ratings: HashSet<String>,
    pub(crate) outcomes: HashSet<String>,
    pub(crate) vulnerabilities: HashSet<String>,
    pub(crate) persuasions: HashSet<String>,
    pub(crate) socialscores: HashSet<String>,
    pub(crate) traits: HashSet<String>,
    pub(crate) special: HashSet<String>,
    pub(crate) reasons: HashSet<String>,
    pub(crate) reviewed: HashSet<String>,
    area: Vec<Area>,
}

/// The words of one area.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Area {
    pub(crate) id: PersonArea,
    /// Whether two typical fields settle a shared noun.
    #[serde(default)]
    loose: bool,
    records: HashSet<String>,
    shared: HashSet<String>,
    telling: HashSet<String>,
    typical: HashSet<String>,
    pub(crate) documents: HashSet<String>,
    pub(crate) names: HashSet<String>,
    pub(crate) companions: HashSet<String>,
    #[serde(default)]
    pub(crate) besides: HashSet<String>,
    /// Words for those whose work is judged.
    #[serde(default)]
    authors: HashSet<String>,
    /// Words for such work.
    #[serde(default)]
    works: HashSet<String>,
    /// Words for a test as a whole.
    #[serde(default)]
    tests: HashSet<String>,
    /// What the work is held against.
    #[serde(default)]
    measures: HashSet<String>,
}

/// The embedded words.
#[expect(
    clippy::panic,
    reason = "the data is embedded and parsed in a test, so a mistake never ships"
)]
pub(crate) static WORDS: LazyLock<Words> =
    LazyLock::new(
        || match engine_embed::from_toml(&engine_embed::embed!("../../shapes/people/areas.toml").text()) {
            Ok(words) => words,
            Err(error) => panic!("the words of the areas are malformed: {error}"),
        },
    );

impl Words {
    /// All areas.
    pub(crate) fn areas(&self) -> &[Area] {
        &self.area
    }
}

/// How sure a noun is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Noun {
    Own,
    Shared,
    Other,
}

impl Area {
    fn noun(&self, noun: &str) -> Noun {
        if self.records.contains(noun) {
            Noun::Own
        } else if self.shared.contains(noun) {
            Noun::Shared
        } else {
            Noun::Other
        }
    }

    /// Whether a record of that name with these fields belongs to the area. A name that is no noun of the area needs
    /// fields that tell the area by themselves; a noun needs fields too, because many nouns have other meanings.
    pub(crate) fn is_record(&self, noun: &str, fields: &BTreeSet<String>) -> bool {
        let identity = &WORDS.identity;
        let count = |list: &HashSet<String>| fields.iter().filter(|field| list.contains(*field)).count();
        let telling = fields
            .iter()
            .filter(|field| self.telling.contains(*field) || self.documents.contains(*field))
            .count();
        let typical = count(&self.typical);
        let person = count(identity);
        match self.noun(noun) {
            Noun::Own => telling + typical + person >= 1,
            Noun::Shared => telling >= 1 || self.loose && typical >= 2,
            // Columns without a noun: two that tell, or one among several that fit.
            Noun::Other if is_thing(noun, fields) => false,
            Noun::Other => {
                let telling = count(&self.telling);
                telling >= 2 || telling == 1 && typical + person >= 2 || self.is_judged(fields)
            }
        }
    }

    /// Whether one field alone tells the area beside a paper of another: a `finalScore` beside a `resumeText` is no grade of a pupil.
    pub(crate) fn yields(&self, fields: &BTreeSet<String>) -> bool {
        let told = |list: &HashSet<String>| fields.iter().filter(|field| list.contains(*field)).count();
        told(&self.telling) == 1
            && told(&self.documents) == 0
            && !self.is_judged(fields)
            && WORDS
                .areas()
                .iter()
                .any(|other| other.id != self.id && told(&other.documents) > 0)
    }

    /// Whether fields hold somebody's work together with what it is held against: that is a judgement, whatever the record is called.
    pub(crate) fn is_judged(&self, fields: &BTreeSet<String>) -> bool {
        fields
            .iter()
            .any(|field| self.telling.contains(field) && !self.measures.contains(field))
            && fields.iter().any(|field| self.measures.contains(field))
    }

    /// Whether a field of a record speaks for the area.
    pub(crate) fn fits(&self, field: &str) -> bool {
        self.telling.contains(field) || self.typical.contains(field) || self.documents.contains(field)
    }

    /// Whether a name stands for what work is held against: `rubric_markdown`, `answerKey`.
    pub(crate) fn is_measure(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.measures.contains(word))
            || words.windows(2).any(|pair| self.measures.contains(&pair.concat()))
    }

    /// Whether a name stands for somebody's work, by its own words (`student_response`) or by those of the function in which it stands
    /// (`answers` in `grade_exam`).
    pub(crate) fn is_work(&self, words: &[String], function: &str) -> bool {
        if !words.iter().any(|word| self.works.contains(word)) {
            return false;
        }
        let around = split(function);
        words.iter().any(|word| self.authors.contains(word))
            || around.iter().any(|word| self.tests.contains(word))
                && around.iter().any(|word| JUDGES.contains(&word.as_str()))
    }

    /// Whether a name is a noun of the area at all.
    pub(crate) fn names_record(&self, noun: &str) -> bool {
        self.noun(noun) != Noun::Other
    }
}

/// Whether a record is of something that work is asked for with, and says of nobody whose work it is.
pub(crate) fn is_thing(noun: &str, fields: &BTreeSet<String>) -> bool {
    THINGS.contains(&noun) && !fields.iter().any(|field| is_of_somebody(field))
}

/// Whether a field says whose it is: `student_answer`.
fn is_of_somebody(field: &str) -> bool {
    ["student", "pupil", "learner", "candidate", "applicant"]
        .iter()
        .any(|who| field.starts_with(who))
}

/// What work is asked for with or held against, and whose record is of nobody: an exam's question has an answer and a rubric, and no pupil.
const THINGS: [&str; 7] = [
    "question",
    "rubric",
    "criterion",
    "course",
    "lesson",
    "template",
    "exercise",
];

/// Words by which a function says that it judges something.
const JUDGES: [&str; 12] = [
    "grade", "grades", "grader", "grading", "mark", "marks", "marking", "score", "scoring", "assess", "evaluate",
    "correct",
];

/// The words of a name: `candidateCv` and `candidate_cv` are the same.
pub(crate) fn split(name: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars().take(120) {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            out.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(last) = out.last_mut()
        {
            last.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_numeric();
    }
    out.retain(|word| !word.is_empty());
    out
}

/// A name without case and separators, as the lists keep it.
pub(crate) fn flat(name: &str) -> String {
    name.chars()
        .take(120)
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The noun of a name: `applicant_data`, `currentApplicant` and `Applicants` are all `applicant`.
pub(crate) fn noun(name: &str) -> String {
    let mut words = split(name);
    let around = &WORDS.around;
    while words.len() > 1 && words.last().is_some_and(|word| around.contains(word)) {
        words.pop();
    }
    while words.len() > 1 && words.first().is_some_and(|word| around.contains(word)) {
        words.remove(0);
    }
    let joined = words.concat();
    match joined.strip_suffix("ies") {
        Some(stem) if stem.len() > 2 => format!("{stem}y"),
        _ => joined
            .strip_suffix('s')
            .filter(|stem| stem.len() > 2 && !stem.ends_with('s'))
            .map_or_else(|| joined.clone(), str::to_owned),
    }
}

/// Whether a text of a program is a verdict: a short one with a word of a verdict in it,
/// no message with places to fill in.
pub(crate) fn is_verdict(text: &str) -> bool {
    if text.len() > 60 || text.contains(['%', '{', '/']) {
        return false;
    }
    let words = split(text);
    // What is about an interview is no verdict: `Interview email drafted`.
    let of_interview = |word: &String| {
        word != "interview"
            || words
                .iter()
                .all(|word| word == "interview" || INVITES.contains(&word.as_str()) || WORDS.outcomes.contains(word))
    };
    words.len() <= 4
        && words
            .iter()
            .any(|word| WORDS.outcomes.contains(word) && of_interview(word))
        && !(words.len() > 1 && words.iter().any(|word| DONE.contains(&word.as_str())))
}

/// Words of what was written, kept or sent: that is told to whoever pressed the button, and decides nothing ("Interview email drafted.").
const DONE: [&str; 16] = [
    "email",
    "mail",
    "letter",
    "drafted",
    "draft",
    "questions",
    "generated",
    "saved",
    "copied",
    "loaded",
    "created",
    "updated",
    "deleted",
    "uploaded",
    "failed",
    "error",
];

/// Words beside `interview` in a verdict.
const INVITES: [&str; 18] = [
    "invite",
    "invited",
    "to",
    "for",
    "an",
    "the",
    "yes",
    "no",
    "move",
    "proceed",
    "schedule",
    "scheduled",
    "selected",
    "select",
    "first",
    "next",
    "round",
    "recommended",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(noun_of: &str, fields: &[&str]) -> Vec<PersonArea> {
        let fields: BTreeSet<String> = fields.iter().map(|field| flat(field)).collect();
        WORDS
            .areas()
            .iter()
            .filter(|area| area.is_record(&noun(noun_of), &fields))
            .map(|area| area.id)
            .collect()
    }

    #[test]
    fn a_verdict_is_short_and_tells_of_no_letter_and_no_questions() {
        for text in [
            "Rejected",
            "shortlisted",
            "Interview",
            "Not approved.",
            "rejected automatically",
            "invite to interview",
            "INTERVIEW_SCHEDULED",
            "Not suitable",
        ] {
            assert!(is_verdict(text), "{text}");
        }
        for text in [
            "Interview email drafted.",
            "Interview questions generated",
            "Rejection letter saved",
            "{n} rejected",
            "Interview questions",
            "mock interview",
            "Candidate interview kit",
        ] {
            assert!(!is_verdict(text), "{text}");
        }
    }

    #[test]
    fn nouns_lose_what_stands_around_them() {
        assert_eq!(noun("applicant_data"), "applicant");
        assert_eq!(noun("LoanApplicationDto"), "loanapplication");
        assert_eq!(noun("Candidates"), "candidate");
        assert_eq!(noun("tbl_employees"), "employee");
        assert_eq!(noun("class"), "class");
    }

    #[test]
    fn a_record_needs_its_fields() {
        assert_eq!(areas("Candidate", &["cv", "email"]), [PersonArea::Employment]);
        assert_eq!(areas("applicant", &["credit_history", "income"]), [PersonArea::Credit]);
        assert_eq!(areas("Student", &["gpa"]), [PersonArea::Education]);
        assert_eq!(areas("df", &["ApplicantIncome", "LoanAmount"]), [PersonArea::Credit]);
        assert_eq!(areas("patient", &["symptoms"]), [PersonArea::Health]);
        // Answers of models, credits of an interface, brands of cards, gifts and alarms are no records about people.
        for (name, fields) in [
            ("candidate", &["content", "finish_reason", "score", "text"][..]),
            ("candidate_tokens", &["count"]),
            ("credit", &["remaining", "used"]),
            ("card", &["visa", "number"]),
            ("benefit", &["title", "icon"]),
            ("emergency", &["phone", "enabled"]),
            ("grade", &["value"]),
            ("score", &["value"]),
            ("user", &["email", "name"]),
            ("passenger", &["Age", "Sex", "Fare", "Pclass"]),
        ] {
            assert_eq!(areas(name, fields), [], "{name}");
        }
    }

    #[test]
    fn work_counts_beside_what_it_is_held_against() {
        assert_eq!(
            areas("GradingQuestion", &["id", "studentAnswer", "correctAnswer"]),
            [PersonArea::Education]
        );
        assert_eq!(areas("QuizItem", &["answer", "correctAnswer"]), []);
        assert_eq!(
            areas("Question", &["id", "studentAnswer", "correctAnswer"]),
            [PersonArea::Education]
        );
        assert_eq!(
            areas("Question", &["exam_id", "student", "answerKey", "answer", "rubric"]),
            [PersonArea::Education]
        );
        assert_eq!(areas("Question", &["exam_id", "essay", "answer", "rubric"]), []);
        let education = WORDS
            .areas()
            .iter()
            .find(|area| area.id == PersonArea::Education)
            .unwrap();
        assert!(education.is_measure(&split("rubric_markdown")) && education.is_measure(&split("answerKey")));
        assert!(
            education.is_work(&split("student_response_md"), "")
                && education.is_work(&split("answers_text"), "grade_exam")
        );
        // A model that judges the answers of models, eggs and games judge nobody's work.
        for (name, function) in [
            ("response", "judge_response"),
            ("model_answer_text", "evaluate_model"),
            ("answers", "grade_eggs"),
            ("player_answers", "score_game"),
        ] {
            assert!(!education.is_work(&split(name), function), "{name}");
        }
    }

    #[test]
    fn one_field_yields_to_a_paper_of_another_area() {
        let yields = |id: PersonArea, fields: &[&str]| {
            let fields: BTreeSet<String> = fields.iter().map(|field| flat(field)).collect();
            let area = WORDS.areas().iter().find(|area| area.id == id).unwrap();
            assert!(area.is_record("", &fields), "{fields:?}");
            area.yields(&fields)
        };
        assert!(yields(
            PersonArea::Education,
            &["resumeText", "finalScore", "grade", "feedback"]
        ));
        assert!(!yields(PersonArea::Education, &["finalScore", "grade", "feedback"]));
        assert!(!yields(
            PersonArea::Education,
            &["resumeText", "finalScore", "gpa", "feedback"]
        ));
        assert!(!yields(
            PersonArea::Employment,
            &["resumeText", "coverLetter", "skills", "experience"]
        ));
    }

    #[test]
    fn every_word_is_written_flat() {
        for area in WORDS.areas() {
            for list in [&area.records, &area.shared, &area.telling, &area.typical, &area.names] {
                let wrong: Vec<&String> = list.iter().filter(|word| flat(word) != **word).collect();
                assert!(wrong.is_empty(), "{wrong:?}");
            }
        }
    }
}
