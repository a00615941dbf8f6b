//! What code cannot tell and a person is asked: whether people know that they deal with an AI, and when the system was placed on the market.

use engine_model::{Applies, ObligationStatus, Question, System};

use crate::findings::Observed;

/// Asks a person whether people understand that an AI answers, where the interface hints at it or does not lie in the tree.
pub(crate) fn ask(system: &mut System, observed: &[Observed]) {
    let asked = observed.iter().find(|item| {
        item.asks_people()
            && item.observation.system.as_ref() == Some(&system.id)
            && system
                .obligations
                .iter()
                .any(|record| record.obligation_id == item.obligation() && record.applies != Applies::DoesNotApply)
    });
    if let Some(item) = asked
        && system.questions.iter().all(|question| question.id != AI_IS_OBVIOUS)
    {
        system.questions.push(Question {
            id: AI_IS_OBVIOUS.to_owned(),
            text: QUESTION.to_owned(),
            why: format!("Art. 50(1): {}", item.observation.message),
            effect: EFFECT.to_owned(),
            evidence: item.observation.evidence.clone(),
        });
        // Whoever reads the duty alone is asked the same.
        for record in &mut system.obligations {
            if record.obligation_id == item.obligation() && record.question.is_none() {
                record.question = Some(QUESTION.to_owned());
            }
        }
    }
}

/// Asks the same where people deal with the system, and no place was seen at which they read what it answers.
pub(crate) fn ask_of_the_rest(system: &mut System) {
    let open = system.obligations.iter_mut().find(|record| {
        record.obligation_id == TELLING
            && record.applies == Applies::Applies
            && record.status == ObligationStatus::NotEvaluated
            && record.question.is_none()
    });
    let Some(record) = open else { return };
    record.question = Some(QUESTION.to_owned());
    if system.questions.iter().all(|question| question.id != AI_IS_OBVIOUS) {
        system.questions.push(Question {
            id: AI_IS_OBVIOUS.to_owned(),
            text: QUESTION.to_owned(),
            why: "Art. 50(1): people deal with the system, and the place at which they read what it answers was not seen.".to_owned(),
            effect: EFFECT.to_owned(),
            evidence: Vec::new(),
        });
    }
}

/// Asks when the system was placed on the market, where the day on which a duty begins hangs on it (Art. 111(4)).
pub(crate) fn ask_when_placed(system: &mut System) {
    let open = system.obligations.iter().find_map(|record| {
        let question = record.question.as_ref()?;
        (record.applies == Applies::Undetermined && asks_when_placed(question)).then(|| {
            (
                question.clone(),
                record.because.clone(),
                format!("{} ({})", record.article, record.title),
            )
        })
    });
    if let Some((text, why, duty)) = open
        && system.questions.iter().all(|question| question.id != PLACED_ON_MARKET)
    {
        system.questions.push(Question {
            id: PLACED_ON_MARKET.to_owned(),
            text,
            why,
            effect: format!(
                "`yes`: {duty} binds from the later of the two days (Art. 111(4)). `no`: it binds already."
            ),
            evidence: Vec::new(),
        });
    }
}

/// Whether a question asks when the system was placed on the market.
fn asks_when_placed(question: &str) -> bool {
    question.starts_with(WHEN_PLACED)
}

/// How the law data asks for the day of placing on the market.
const WHEN_PLACED: &str = "Was the system placed on the market before ";

/// The question when the system was placed on the market.
const PLACED_ON_MARKET: &str = "placed-on-market";

/// The obligation to tell people that they deal with an AI, Art. 50(1).
const TELLING: &str = "OBL-094";

/// What an answer changes.
const EFFECT: &str =
    "`yes`: nothing more is to be done under Art. 50(1). `no`: a sentence has to tell them where the answers appear.";

/// The question whether people know that they deal with an AI.
const AI_IS_OBVIOUS: &str = "ai-is-obvious";

/// What a person is asked.
const QUESTION: &str = "Do the people who use this system know that an AI gives the answers?";
