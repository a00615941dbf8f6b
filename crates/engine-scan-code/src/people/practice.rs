//! Whether the assessed task is a rehearsal: an interview, a test or an exam that people take to practise.
//!
//! Nobody decides about a person there: who takes it is told how it went, and that is all.

use std::collections::BTreeSet;

use engine_catalogue::{rehearsal, words_of};
use engine_syntax::ir::Expr;

use super::call_inputs::{Item, What};
use crate::facts::texts_in;
use crate::values::ExprRef;
use crate::world::World;

/// What people sit and are judged by.
const SAT: [&str; 17] = [
    "interview",
    "interviews",
    "interviewing",
    "interviewer",
    "exam",
    "exams",
    "examination",
    "test",
    "tests",
    "viva",
    "assessment",
    "quiz",
    "quizzes",
    "ielts",
    "toefl",
    "negotiation",
    "pitch",
];

/// Words that make a rehearsal of it, right before it: `mock interview`, `practice exam`.
const REHEARSED: [&str; 8] = [
    "mock",
    "practice",
    "practise",
    "practicing",
    "practising",
    "simulated",
    "rehearse",
    "rehearsal",
];

/// Words that do so right behind it: `interview prep`, `exam practice`.
const PREPARED: [&str; 10] = [
    "prep",
    "preparation",
    "practice",
    "practise",
    "ready",
    "trainer",
    "coach",
    "coaching",
    "rehearsal",
    "simulator",
];

/// Words that may stand between: `practice real job interviews`, `prepare for your next interview`.
const BETWEEN_MAX: usize = 4;

/// Whether a text calls what people sit a rehearsal.
pub(crate) fn is_practice(text: &str) -> bool {
    /// Words of a text that are looked at.
    const WORDS_MAX: usize = 3_000;
    if rehearsal(text).is_some() {
        return true;
    }
    let lower = text.to_lowercase();
    if ![
        "mock", "practi", "prep", "rehears", "self", "simulat", "coach", "ready", "trainer",
    ]
    .iter()
    .any(|piece| lower.contains(piece))
    {
        return false;
    }
    // A sentence ends what belongs together.
    lower.split(['.', '!', '?', '\n', ';']).any(|sentence| {
        let words: Vec<&str> = sentence
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(WORDS_MAX)
            .collect();
        words.iter().enumerate().any(|(at, word)| {
            let after = |count: usize| words.iter().skip(at + 1).take(count);
            let sat = |word: &&str| SAT.contains(word);
            match *word {
                "mock" | "simulated" | "rehearsal" => after(2).any(sat),
                word if REHEARSED.contains(&word) => after(BETWEEN_MAX).any(sat),
                "prepare" | "preparing" | "prep" => {
                    let rest: Vec<&&str> = after(BETWEEN_MAX).collect();
                    rest.first()
                        .is_some_and(|word| matches!(**word, "for" | "you" | "your"))
                        && rest.iter().any(|word| sat(word))
                }
                "self" => after(1).any(|word| matches!(*word, "assessment" | "evaluation" | "test")),
                word if SAT.contains(&word) => after(1).any(|word| PREPARED.contains(word)),
                _ => false,
            }
        })
    })
}

/// Whether a name does so: of a function, a file, a folder, a package.
pub(crate) fn names_practice(name: &str) -> bool {
    let words = words_of(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    has(&["mock", "practice", "practise", "prep", "rehearsal", "preparation"])
        && has(&[
            "interview",
            "interviews",
            "interviewer",
            "exam",
            "exams",
            "viva",
            "quiz",
        ])
}

/// Whether the prompt of a call, the functions around it or their files call what is judged a rehearsal.
pub(super) fn is_rehearsal(world: &World<'_>, at: ExprRef, items: &[Item]) -> bool {
    /// Levels of callers.
    const LEVELS_MAX: usize = 3;
    let prompt =
        |item: &Item| matches!(item.what, What::Text) && texts_in(world, item.at).iter().any(|text| is_practice(text));
    if items.iter().any(prompt) || arguments(world, at).iter().any(|text| is_practice(text)) {
        return true;
    }
    let mut level: Vec<ExprRef> = vec![at];
    for _ in 0..=LEVELS_MAX {
        let named = level.iter().any(|place| {
            names_practice(world.unit(place.0).path)
                || world
                    .named_function_of(*place)
                    .is_some_and(|function| world.function(function).name.as_deref().is_some_and(names_practice))
        });
        if named {
            return true;
        }
        let functions: BTreeSet<_> = level
            .iter()
            .filter_map(|place| world.named_function_of(*place))
            .collect();
        level = functions
            .into_iter()
            .flat_map(|function| world.callers_of(function).iter().copied().take(8).collect::<Vec<_>>())
            .take(40)
            .collect();
    }
    false
}

/// The texts that stand in the arguments of a call.
fn arguments<'m>(world: &World<'m>, at: ExprRef) -> Vec<&'m str> {
    match world.expr(at) {
        Expr::Call { args, .. } => args
            .iter()
            .flat_map(|arg| texts_in(world, ExprRef(at.0, arg.value)))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_practice, names_practice};

    #[test]
    fn a_rehearsal_is_told_from_an_interview_that_counts() {
        for text in [
            "You are evaluating a candidate in a mock interview.",
            "Practice real interview questions & get instant feedback",
            "Welcome to Your Interview Prep",
            "Practice with an AI interviewer tailored to your resume.",
            "Prepare for your upcoming interviews with AI",
            "A practice exam for students",
            "AI self-assessment for learners",
            "AI 기반 모의 면접 서비스",
            "模拟面试，实时反馈",
        ] {
            assert!(is_practice(text), "{text}");
        }
        for text in [
            "You conduct the screening interview for our company. Rate the candidate.",
            "Follow best practices. The interview decides.",
            "Mock data for the dashboard. Interview results below.",
            "Prepare a report for the recruiter about the interview",
            "Tests the candidate and prepares the interview",
        ] {
            assert!(!is_practice(text), "{text}");
        }
        assert!(names_practice("src/app/mock-interview/route.ts"));
        assert!(names_practice("MockInterview"));
        assert!(!names_practice("src/interview/mocks.ts"));
        assert!(!names_practice("screeningInterview"));
    }
}
